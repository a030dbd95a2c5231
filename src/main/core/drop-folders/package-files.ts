/** Reads dropped JSON in the sheets' worker. Its answers are small strings: objects would block the main thread. */
import { fingerprintOf, problemsOf } from '../../../shared/composition/index.ts'
import type { Answers, Ask, BulkQuestions } from '../bulk/worker.ts'
import { readExchangeFile } from '../drafts/exchange-file.ts'
import { readRequestFile } from './request-file.ts'

export interface RequestAnswer {
  /** The JSON of a `Composition`. */
  composition: string
  /** Differences in the composition, in words. */
  notes: string[]
  /** What was read differently from how it is written, in words. */
  readings: string[]
  /** Reasons not to send it, in words. */
  problems: string[]
  fingerprint: string
}

export interface ExchangeAnswer {
  /** Each the JSON of a `Composition`. */
  drafts: string[]
  /** Each the JSON of a name and a composition. */
  presets: string[]
}

/** Questions about dropped JSON, in addition to those about sheets. The worker keeps none of it. */
export interface PackageQuestions {
  /** A send request, read completely. @throws AppFailure `invalid`, with its fields. */
  request: { ask: { bytes: Uint8Array; now: number; dateFormat: string | undefined }; answer: RequestAnswer }
  /** A `.countersign` file. @throws AppFailure `invalid` or `too-large`. */
  exchange: { ask: { bytes: Uint8Array }; answer: ExchangeAnswer }
}

export type FileQuestions = BulkQuestions & PackageQuestions
export type AskFiles = Ask<FileQuestions>

export const packageAnswers: Answers<PackageQuestions> = {
  async request({ bytes, now, dateFormat }) {
    const { composition, ...findings } = await readRequestFile(bytes, dateFormat)
    return {
      composition: JSON.stringify(composition),
      ...findings,
      problems: problemsOf(composition, now).map(({ message }) => message),
      fingerprint: fingerprintOf(composition)
    }
  },

  async exchange({ bytes }) {
    const { drafts, presets } = await readExchangeFile(bytes)
    return { drafts: drafts.map((draft) => JSON.stringify(draft)), presets: presets.map((one) => JSON.stringify(one)) }
  }
}
