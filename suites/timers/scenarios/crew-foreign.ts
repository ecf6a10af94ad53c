import { crew } from "../crew-races.ts";

export default crew(
  "crew-foreign",
  "100,000 connections per worker, a message each 10 s moves a 30 s timeout, or, one in ten, cancels another worker's",
  10,
);
