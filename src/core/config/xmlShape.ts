// The XML form of a JSON value, as the `xml` objects of an OpenAPI schema describe it.

/** One schema as its element or attribute. */
export interface XmlShape {
  /** `any`: text, or elements that the schema does not name. */
  readonly type: "object" | "array" | "number" | "boolean" | "any";
  /** The name without its prefix; absent: the name of the property. */
  readonly name?: string | undefined;
  readonly prefix?: string | undefined;
  readonly namespace?: string | undefined;
  /** True for a member that is an attribute of its parent's element. */
  readonly attribute?: boolean | undefined;
  /** True for a list whose items are wrapped in an element. */
  readonly wrapped?: boolean | undefined;
  /** Members of an object by their JSON names, in the order of the schema. */
  readonly properties?: Readonly<Record<string, XmlShape>> | undefined;
  /** The items of a list. */
  readonly items?: XmlShape | undefined;
}
