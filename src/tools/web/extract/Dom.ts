// The subset of the DOM that page extraction uses.

export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  textContent: string;
  readonly parentNode: PageElement | null;
  readonly previousSibling: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly firstChild: PageNode | null;
  remove(): void;
  replaceWith(...nodes: readonly (PageNode | string)[]): void;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  readonly children: Iterable<PageElement>;
  readonly childNodes: Iterable<PageNode>;
  readonly firstElementChild: PageElement | null;
  readonly previousElementSibling: PageElement | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  replaceChildren(...nodes: readonly (PageNode | string)[]): void;
  querySelectorAll(selector: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
  closest(selector: string): PageElement | null;
}

export interface PageDocument {
  readonly title: string;
  readonly body: PageElement | null;
  readonly documentElement: PageElement | null;
  createElement(name: string): PageElement;
  cloneNode(deep: true): PageDocument;
  querySelectorAll(selector: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
}
