// The modules of `src` that start a gateway. Jest loads them once per process: see SharedModulesEnvironment.js.

/** Of SharedModulesEnvironment; absent where no Jest runs, as in `npm run test:live`. */
const { importShared } = globalThis as { readonly importShared?: (url: string) => Promise<unknown> };

const importOnce = <Module>(path: string): Promise<Module> => {
  const { href } = new URL(path, import.meta.url);
  return (importShared ? importShared(href) : import(href)) as Promise<Module>;
};

type GatewayModule = typeof import("../../src/gateway/createGateway.ts");
type FailuresModule = typeof import("../../src/core/failures.ts");
type ToolModule = typeof import("../../src/tools/Tool.ts");
type ServerModule = typeof import("../../src/server/httpServer.ts");

export type { Gateway } from "../../src/gateway/createGateway.ts";
export const { createGateway, createParserServices, readConfig } = await importOnce<GatewayModule>(
  "../../src/gateway/createGateway.ts",
);
export const { createHttpServer } = await importOnce<ServerModule>("../../src/server/httpServer.ts");
// Classes whose instances these modules know again.
export const { PostelError } = await importOnce<FailuresModule>("../../src/core/failures.ts");
export const { MultipartOutput } = await importOnce<ToolModule>("../../src/tools/Tool.ts");
