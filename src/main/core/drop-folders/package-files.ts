/**
 * Reads dropped JSON in the worker of sheets. Its answers are small, and texts: reading them into objects would hold up the
 * main thread.
 */
import { fingerprintOf, problemsOf } from '../../../shared/composition/index.ts'
import type { Answers, Ask, BulkQuestions } from '../bulk/worker.ts'
import { readExchangeFile } from '../drafts/exchange-file.ts'
import { readRequestFile } from './request-file.ts'

export interface RequestAnswer {
  /** The JSON of a `Composition`. */
  composition: string
  /** What is a little different in it, in words. */
  notes: string[]
  /** What was read otherwise than it is written, in words. */
  readings: string[]
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

/** What can be asked about dropped JSON, beside what can be asked about sheets. Nothing of it stays with the worker. */
export interface PackageQuestions {
  /** A send request, read whole. @throws AppFailure `invalid`, with its fields. */
  request: { ask: { bytes: Uint8Array; now: number; dateFormat: string | undefined }; answer: RequestAnswer }
  /** A `.countersign` file. @throws AppFailure `invalid` or `too-large`. */
  exchange: { ask: { bytes: Uint8Array }; answer: ExchangeAnswer }
}

/** All that the worker of files is asked. */
export type FileQuestions = BulkQuestions & PackageQuestions
export type AskFiles = Ask<FileQuestions>

export const packageAnswers: Answers<PackageQuestions> = {
  async request({ bytes, now, dateFormat }) {
    const { composition, ...told } = await readRequestFile(bytes, dateFormat)
    return {
      composition: JSON.stringify(composition),
      ...told,
      problems: problemsOf(composition, now).map(({ message }) => message),
      fingerprint: fingerprintOf(composition)
    }
  },

  async exchange({ bytes }) {
    const { drafts, presets } = await readExchangeFile(bytes)
    return { drafts: drafts.map((draft) => JSON.stringify(draft)), presets: presets.map((one) => JSON.stringify(one)) }
  }
}
