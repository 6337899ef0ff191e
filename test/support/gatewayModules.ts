// The modules of `src` that start a gateway. Jest loads them once per process: see SharedModulesEnvironment.js.

/** Provided by SharedModulesEnvironment. Absent outside Jest, as in `npm run test:live`. */
const { importShared } = globalThis as { readonly importShared?: (url: string) => Promise<unknown> };

const importOnce = <Module>(path: string): Promise<Module> => {
  const { href } = new URL(path, import.meta.url);
  return (importShared ? importShared(href) : import(href)) as Promise<Module>;
};

type ConfigModule = typeof import("../../src/gateway/readConfig.ts");
type ServicesModule = typeof import("../../src/gateway/openServices.ts");
type ParserModule = typeof import("../../src/gateway/parserServices.ts");
type FailuresModule = typeof import("../../src/core/failures.ts");
type ToolModule = typeof import("../../src/tools/Tool.ts");
type ServerModule = typeof import("../../src/server/httpServer.ts");

export type { GatewayServices } from "../../src/gateway/GatewayServices.ts";
export const { readConfig } = await importOnce<ConfigModule>("../../src/gateway/readConfig.ts");
export const { openServices } = await importOnce<ServicesModule>("../../src/gateway/openServices.ts");
export const { createParserServices } = await importOnce<ParserModule>("../../src/gateway/parserServices.ts");
export const { createHttpServer } = await importOnce<ServerModule>("../../src/server/httpServer.ts");
/** Classes whose instances these modules create and recognise. A class that a test imports from `src` itself is another one. */
export const { PostelError } = await importOnce<FailuresModule>("../../src/core/failures.ts");
export const { MultipartOutput } = await importOnce<ToolModule>("../../src/tools/Tool.ts");
