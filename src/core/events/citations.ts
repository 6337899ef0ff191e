// Defines the sources of tool results. Types only.

/** A source of a tool's result. Has at least one field; `url` is http or https, `id` is the service's own identifier. */
export type Citation = { readonly [field in "title" | "url" | "id"]?: string };

/** A citation with the name of the tool. */
export type ToolCitation = Citation & { readonly tool: string };
