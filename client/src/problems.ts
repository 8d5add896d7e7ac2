import type {components, operations} from "./schema.js";

const PREFIX = "tag:quick-photos.example,2026:";

type TypeOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: {"application/problem+json": {type: infer Type}} } ? Type : never;
}[keyof Responses];

/** The kinds of problem that the OpenAPI document names, such as `no-profile`. docs/problems.md describes each. */
export type ProblemKind = {
  [Id in keyof operations]: TypeOf<operations[Id]["responses"]>;
}[keyof operations] extends infer Type ? (Type extends `${typeof PREFIX}${infer Kind}` ? Kind : never) : never;

/** A field of a request, and the rule that it breaks. */
export type Violation = components["schemas"]["Violation"];

/** A request that has failed. `message` is a sentence that an app may show. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** The `type` of an answer of the API. API Gateway and S3 answer without it. */
  readonly type: string | undefined;
  /** What the developer of the app has to know. */
  readonly hint: string | undefined;
  /** The seconds after which the server wants the next attempt. */
  readonly retryAfter: number | undefined;
  /** The fields that break their rules. */
  readonly errors: Violation[];

  /** `status` is that of the answer, or 0 if none came. */
  constructor(
    readonly status: number, readonly title: string, readonly detail?: string,
    more: {type?: string | undefined; hint?: string | undefined; retryAfter?: number | undefined; errors?: Violation[]; cause?: unknown} = {},
  ) {
    super(detail || title, {cause: more.cause});
    this.type = more.type;
    this.hint = more.hint;
    this.retryAfter = more.retryAfter;
    this.errors = more.errors ?? [];
  }

  /** Returns whether the problem is of this kind. */
  is(kind: ProblemKind): boolean {
    return this.type === PREFIX + kind;
  }
}

/** Returns the content of an answer: JSON or a text. */
export const content = (headers: Headers, text: string): unknown => headers.get("content-type")?.includes("json") && text ? JSON.parse(text) : text;

/** Returns the Problem of an answer. API Gateway itself answers a message. */
export function problemOf(status: number, headers: Headers, text: string): Problem {
  const {title, message, detail, type, hint, errors} = Object(content(headers, text));
  const retryAfter = Number(headers.get("retry-after")) || undefined;
  return new Problem(status, title ?? message ?? `Status ${status}`, detail, {type, hint, errors, retryAfter});
}
