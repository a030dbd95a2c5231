/** What the desk answers of dropped JSON: small, and in texts, since reading it would hold up whoever asked. */
import { fingerprintOf, problemsOf } from '../../../shared/composition/index.ts'
import { readExchangeFile } from '../drafts/exchange-file.ts'
import { readRequestFile } from './request-file.ts'

export interface RequestAnswer {
  /** The JSON of a `Composition`. */
  composition: string
  /** What is a little different in it, in words. */
  notes: string[]
  /** What speaks against sending it, in words. */
  problems: string[]
  fingerprint: string
}

export interface ExchangeAnswer {
  /** Each the JSON of a `Composition`. */
  drafts: string[]
  /** Each the JSON of a name and a composition. */
  presets: string[]
}

/** @throws AppFailure `invalid`, with its fields. */
export async function answerOfRequest(bytes: Uint8Array, now: number): Promise<RequestAnswer> {
  const { composition, notes } = await readRequestFile(bytes)
  return {
    composition: JSON.stringify(composition),
    notes,
    problems: problemsOf(composition, now).map(({ message }) => message),
    fingerprint: fingerprintOf(composition)
  }
}

/** @throws AppFailure `invalid` or `too-large`. */
export async function answerOfExchange(bytes: Uint8Array): Promise<ExchangeAnswer> {
  const { drafts, presets } = await readExchangeFile(bytes)
  return { drafts: drafts.map((draft) => JSON.stringify(draft)), presets: presets.map((one) => JSON.stringify(one)) }
}
