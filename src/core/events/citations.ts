// What results rest on, by what whoever made them says. Types alone.

/** What a tool's result rests on. Has at least one of its fields; `url` is of http or https, `id` is the service's own name for it. */
export type Citation = { readonly [field in "title" | "url" | "id"]?: string };

/** With the name by which the tool was called. */
export type ToolCitation = Citation & { readonly tool: string };
