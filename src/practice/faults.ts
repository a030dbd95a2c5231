/** A refusal, as the service's framework answers it: a status, an error code, a sentence, and the fields it is about. */

export interface FieldProblem {
  ErrorCode: string
  /** As written in the request: `Forms[0].Signers[0].Email`. */
  FieldName: string
  Message: string
}

export type RefusalStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 413 | 415 | 426 | 500

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: RefusalStatus
  readonly code: string
  readonly problems: FieldProblem[]

  constructor(status: RefusalStatus, code: string, message: string, problems: FieldProblem[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.problems = problems
  }

  /** The body: `{"ResponseStatus":{…}}`. */
  get body() {
    return { ResponseStatus: { ErrorCode: this.code, Message: this.message, Errors: this.problems } }
  }
}

/** 400 for what a request's fields say, headed by the first of them. */
export function invalid(problems: FieldProblem[]): Refusal {
  const [first] = problems
  return new Refusal(
    400,
    first?.ErrorCode ?? 'ValidationException',
    first?.Message ?? 'The request is invalid.',
    problems
  )
}

/** 400 for one field. */
export function invalidField(field: string, code: string, message: string): Refusal {
  return invalid([{ ErrorCode: code, FieldName: field, Message: message }])
}

/** 404 for a document that isn't there, or isn't there any more. */
export function noSuchDocument(): Refusal {
  return new Refusal(
    404,
    'DocumentNotFound',
    'The document was not found. It may have been removed under the data retention policy.'
  )
}
