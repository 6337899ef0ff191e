// Defines the operations of a loaded OpenAPI document as tools.

import type { Parameters } from "../template/inferParameters.ts";
import type { ServiceAction } from "./componentActions.ts";
import type { XmlShape } from "./xmlShape.ts";

export interface OpenApiComponent {
  readonly type: "openapi";
  readonly id: string;
  readonly description: string;
  /** Absolute path of the document. */
  readonly document: string;
  readonly baseUrl: string;
  /** Templates of `owner` and `context`, sent with every operation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly actions: readonly OperationConfig[];
}

/** An operation. Its `id` is the operationId, adapted if it is no legal tool name. */
export interface OperationConfig extends ServiceAction {
  /** Contains `{name}` for the path parameter of that name. */
  readonly path: string;
  readonly inputs: readonly OperationInput[];
  readonly content?: OperationContent | undefined;
  readonly credentials: readonly OperationCredential[];
  /** The schema of an XML response; absent if the document has none. */
  readonly xmlAnswer?: XmlShape | undefined;
  /** JSON Schema of the arguments for models. */
  readonly parameters: Parameters;
}

/** Conversion of one argument to a part of a request. */
export interface OperationField {
  /** The argument's name for models. */
  readonly argument: string;
  /** The name for the service. */
  readonly name: string;
  readonly style: FieldStyle;
  /** True if each item of a list, and each member of an object, is written separately. */
  readonly explode: boolean;
  /** True if reserved characters without a meaning in a query are sent unescaped. */
  readonly allowReserved: boolean;
}

/** The styles of OpenAPI, and `json`: the JSON text of the value. */
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

/** The request body: fields with arguments of their own, or the argument `body` as a whole. */
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

/** The argument that is the complete body. */
export const BODY_ARGUMENT = "body";

/** A credential of the operator for an operation's security scheme. */
export interface OperationCredential {
  readonly in: Exclude<InputPlace, "path">;
  readonly name: string;
  /** A template of `owner`. */
  readonly value: string;
}

/** The templates that a call fills; its credentials follow from them. */
export function collectOperationTemplates(
  { headers }: Pick<OpenApiComponent, "headers">,
  { credentials }: Pick<OperationConfig, "credentials">,
): readonly string[] {
  return [...Object.values(headers), ...credentials.map(({ value }) => value)];
}
