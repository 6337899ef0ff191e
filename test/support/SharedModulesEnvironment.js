// Jest's Node environment, from which a test file can import modules that the files before it have loaded.
// It is JavaScript, because Jest would translate the `import` of a TypeScript file to `require`.
import { TestEnvironment } from "jest-environment-node";

/**
 * Jest gives each test file its own copy of every module. Loading the gateway takes a second of CPU, more than most of
 * its tests. `importShared` imports outside of this sandbox: a module is loaded once per process of Jest.
 */
export default class SharedModulesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importShared = (url) => import(url);
  }
}
