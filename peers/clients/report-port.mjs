// Makes a server that was given port 0 say where it listens: node --import report-port.mjs SERVER.

import { Server } from "node:net";

const listen = Server.prototype.listen;

Server.prototype.listen = function (...parameters) {
  this.once("listening", () => console.log(JSON.stringify({ port: this.address().port })));
  return listen.apply(this, parameters);
};
