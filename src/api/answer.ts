/** What a request is answered with; the headers that all answers have come on top. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer for programs. */
export function jsonAnswer(value: unknown, status = 200): Answer {
  return {
    status,
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value, undefined, 2)}\n`,
  };
}

/** A refusal: what is wrong, and what to do. Nothing of the request is repeated in it. */
export function refusal(status: number, error: string, hint: string): Answer {
  return jsonAnswer({ error, hint }, status);
}
