/** `npm run assemble` makes this from draws.wat: the code in base64, so that it is in every bundle. */
export default "AGFzbQEAAAABCQJgAABgAX8BfwIQAQVkcmF3cwVib3VuZAN/AAMDAgABBgYBfwFBAAsHCwEHbWFwV29yZAABCAEACi4CDABBACMAayMAcCQBCx8BAX4gAK0jAK1+IQEgAacjAUkEQEF/DwsgAUIgiKcLADwEbmFtZQEKAQAHcHJlcGFyZQIUAgAAAQIABHdvcmQBB3Byb2R1Y3QHEwIABWJvdW5kAQl0aHJlc2hvbGQ=";
