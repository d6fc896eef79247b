// Which parts of Plotly does a page draw with? `npm run bundle` makes one small file of them for publisher/pages/assets.py.
// A line here registers each type of trace but scatter, which the core holds.
"use strict";
const Plotly = require("plotly.js/lib/core");

Plotly.register([
  require("plotly.js/lib/bar"),
  require("plotly.js/lib/box"),
  require("plotly.js/lib/histogram"),
]);

module.exports = Plotly;
