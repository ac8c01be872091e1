// Lets the client scripts of this folder import from the packages in the cache: node --import resolve.mjs SCRIPT.

import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const packages = pathToFileURL(`${process.env.CHANCERY_PEERS_NPM}/package.json`).href;

registerHooks({
  resolve(specifier, context, next) {
    const bare = !/^(\.|\/|node:|file:)/.test(specifier);
    const ours = context.parentURL && !context.parentURL.includes("/node_modules/");
    return next(specifier, bare && ours ? { ...context, parentURL: packages } : context);
  },
});
