// The operations of an OpenAPI document as tools, as they are once the document is read. Knows neither documents nor requests.

import type { Parameters } from "../template/inferParameters.ts";
import type { ServiceAction } from "./componentActions.ts";
import type { XmlShape } from "./xmlShape.ts";

export interface OpenApiComponent {
  readonly type: "openapi";
  readonly id: string;
  readonly description: string;
  /** The file of the document: absolute. */
  readonly document: string;
  readonly baseUrl: string;
  /** Templates of the roots `owner` and `context`, which go with every operation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly actions: readonly OperationConfig[];
}

/** An operation. Its `id` is the operationId, made legal as a tool's name where it is not. */
export interface OperationConfig extends ServiceAction {
  /** Holds `{name}` where the path parameter of that name stands. */
  readonly path: string;
  readonly inputs: readonly OperationInput[];
  readonly content?: OperationContent | undefined;
  readonly credentials: readonly OperationCredential[];
  /** The schema of an XML answer; absent where the document has none. */
  readonly xmlAnswer?: XmlShape | undefined;
  /** What models are told of the arguments. */
  readonly parameters: Parameters;
}

/** How one argument becomes a part of a request. */
export interface OperationField {
  /** What models call it. */
  readonly argument: string;
  /** What the service calls it. */
  readonly name: string;
  readonly style: FieldStyle;
  /** True where each item of a list, and each member of an object, is written by itself. */
  readonly explode: boolean;
  /** True where reserved characters that mean nothing in a query are sent as they are. */
  readonly allowReserved: boolean;
}

/** The styles of OpenAPI, and `json`: its JSON text, whatever the value. */
export type FieldStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "json";

export type InputPlace = "path" | "query" | "header" | "cookie";

export interface OperationInput extends OperationField {
  readonly in: InputPlace;
}

/** What is sent as the body: fields that are arguments of their own, or the whole of the argument `body`. */
export type OperationContent =
  | {
      readonly type: "json" | "form";
      readonly mediaType: string;
      readonly fields: readonly OperationField[];
      readonly isRequired: boolean;
    }
  | {
      readonly type: "xml";
      readonly mediaType: string;
      readonly fields?: readonly OperationField[] | undefined;
      readonly isRequired: boolean;
      readonly shape: XmlShape;
    }
  | { readonly type: "json" | "text"; readonly mediaType: string; readonly fields?: undefined };

/** The argument that is the whole body. */
export const BODY_ARGUMENT = "body";

/** What the operator gives for an operation's security, where it belongs. */
export interface OperationCredential {
  readonly in: Exclude<InputPlace, "path">;
  readonly name: string;
  /** A template of the root `owner`. */
  readonly value: string;
}

/** The templates that are filled for a call: which credentials it needs. */
export function collectOperationTemplates(
  { headers }: Pick<OpenApiComponent, "headers">,
  { credentials }: Pick<OperationConfig, "credentials">,
): readonly string[] {
  return [...Object.values(headers), ...credentials.map(({ value }) => value)];
}
