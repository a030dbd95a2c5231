/** A practice service for tests, with a clock that the test moves and shorthands for requests. */

import type { AuthScheme } from '../../../src/practice/authentication.ts'
import { DAY } from '../../../src/practice/life.ts'
import { type SeedName, seed } from '../../../src/practice/seed.ts'
import { createPracticeService, type PracticeServiceOptions } from '../../../src/practice/service.ts'
import { systemRandom } from '../../../src/practice/sources.ts'
import type { DocumentResponse, PackageResponse, SignerResponse } from '../../../src/shared/model/index.ts'

const NOON = Date.parse('2026-06-15T00:00:00Z')
export const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' }

export function practice(options: Partial<PracticeServiceOptions> & { data?: SeedName; auth?: AuthScheme } = {}) {
  let time = NOON
  const clock = { now: () => time }
  const state = options.state ?? seed(options.data ?? 'empty', clock, systemRandom)
  const service = createPracticeService({ clock, notify: refuseCalls, ...options, state })
  const origin = 'http://127.0.0.1:4100'
  const ask = (path: string, init: RequestInit = {}) =>
    service.fetch(new Request(new URL(path, origin), { redirect: 'manual', ...init }))
  const get = (path: string) => ask(path, { headers: JSON_HEADERS })
  const post = (path: string, body: unknown) =>
    ask(path, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) })
  const submit = (path: string, fields: Record<string, string>) =>
    ask(path, { method: 'POST', body: new URLSearchParams(fields) })
  return {
    service,
    state,
    ask,
    get,
    post,
    submit,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    passDays: (days: number) => {
      time += days * DAY
    },
    now: () => time,
    async sendForms(...forms: object[]): Promise<PackageResponse> {
      return answered(await post('/FormDirect/SendForms2', { Forms: forms }))
    },
    async sendTemplates(more: object, ...templates: object[]): Promise<PackageResponse> {
      return answered(await post('/FormFiller/Send', { Templates: templates, Embedded: true, ...more }))
    },
    /** The documents of all folders, with their logs. */
    async documents(): Promise<DocumentResponse[]> {
      const folders = ['InBox', 'Progress', 'Signed']
      const lists = await Promise.all(
        folders.map(async (folder) =>
          answered<DocumentResponse[]>(await get(`/Document/GetActiveDocuments/${folder}?DocumentLog=true`))
        )
      )
      return lists.flat()
    },
    async document(reference: string): Promise<DocumentResponse> {
      const found = (await this.documents()).find((one) => one.Reference === reference)
      if (!found) throw new Error('The document is in no folder.')
      return found
    },
    /** Signs on the signing page, as a browser without scripts does. */
    sign: (key: string | undefined, fields: Record<string, string> = {}) =>
      submit(`${key}/document`, {
        'signature-kind': 'typed',
        'signature-name': 'Aroha Parata',
        agree: 'true',
        ...fields
      })
  }
}

const refuseCalls = () => Promise.reject(new Error('Nobody is to be called in this test.'))

/**
 * Returns the JSON of a successful answer.
 * @throws if the answer isn't a success
 */
export async function answered<Value>(response: Response): Promise<Value> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Value
}

/** Returns the status and code of a refusal, and the fields it names. */
export async function refusal(response: Response) {
  const { ResponseStatus } = (await response.json()) as {
    ResponseStatus: { ErrorCode: string; Message: string; Errors: { FieldName: string }[] }
  }
  return {
    status: response.status,
    code: ResponseStatus.ErrorCode,
    message: ResponseStatus.Message,
    fields: ResponseStatus.Errors.map((error) => error.FieldName)
  }
}

export function aSigner(more: object = {}) {
  return { FirstName: 'Aroha', LastName: 'Parata', Email: 'aroha.parata@example.com', ...more }
}

export function anotherSigner(more: object = {}) {
  return { FirstName: 'Sione', LastName: 'Fonua', Email: 'sione.fonua@example.com', ...more }
}

/** A form without required fields, for embedded signing. */
export function aForm(more: object = {}) {
  return { Name: 'Letter', FormType: 1, Reference: 'letter', EmbedForm: true, Signers: [aSigner()], ...more }
}

/** A template unknown to the office, so that it has only the fields that are sent. */
export function aTemplate(more: object = {}) {
  return { Name: 'Deed', Reference: 'deed', Signers: [aSigner(), anotherSigner()], Fields: [], ...more }
}

/** Returns the first document of a package, and its signers. */
export function only(sent: PackageResponse): { document: DocumentResponse; signers: SignerResponse[] } {
  const [document] = sent.Documents ?? []
  if (!document) throw new Error('The package has no document.')
  return { document, signers: document.Signers ?? [] }
}
