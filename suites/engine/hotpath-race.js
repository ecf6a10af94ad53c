#!/usr/bin/env node
// npm links it before dist is built.
import "./dist/command.js";
