/** The content of a draft as an office has it, and as it is here. */
import { isDeepStrictEqual } from 'node:util'
import type { Composition } from '../../../shared/composition/index.ts'
import { Composition as CompositionShape } from '../../../shared/composition/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { DraftHere } from './shared-draft-rows.ts'

/** What of a draft the office has, sealed. */
export function contentOf({ body }: DraftHere): Buffer {
  return Buffer.from(`{"composition":${body}}`)
}

/** What is here, as it would come from the office: an older version may have written less of it down. */
export function contentHere({ body }: DraftHere): Composition | undefined {
  return CompositionShape.safeParse(parsedJson(body)).data
}

export function hasContent(here: DraftHere, composition: Composition | undefined): boolean {
  return isDeepStrictEqual(contentHere(here), CompositionShape.safeParse(composition).data)
}

/** Of what the office has, or a send. Undefined where it is of no form that this version knows. */
export function contentIn(content: Buffer | string): Composition | undefined {
  const { composition } = (parsedJson(content.toString()) ?? {}) as { composition?: unknown }
  return CompositionShape.safeParse(composition).data
}
