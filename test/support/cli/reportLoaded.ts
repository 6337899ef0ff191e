// Preloaded into a process: says which modules it had loaded when it wrote its first line.
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
process.stdout.write = (...args: unknown[]) => {
  process.stdout.write = write;
  process.send?.([...loaded]);
  return write(...args);
};
