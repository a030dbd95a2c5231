/** Conversions between a draft's content at the office and the local one. */
import { isDeepStrictEqual } from 'node:util'
import type { Composition } from '../../../shared/composition/index.ts'
import { Composition as CompositionShape } from '../../../shared/composition/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { LocalDraft } from './shared-draft-rows.ts'

/** Returns the part of a draft that the office stores, before it is sealed. */
export function encodeContent({ body }: Pick<LocalDraft, 'body'>): Buffer {
  return Buffer.from(`{"composition":${body}}`)
}

/** Returns the local content as it would come from the office: an older version may have stored fewer members. */
export function localContent({ body }: LocalDraft): Composition | undefined {
  return CompositionShape.safeParse(parsedJson(body)).data
}

export function hasContent(local: LocalDraft, composition: Composition | undefined): boolean {
  return isDeepStrictEqual(localContent(local), CompositionShape.safeParse(composition).data)
}

/** Parses a content of the office or of a send. Undefined if it is in a format that this version doesn't know. */
export function readContent(content: Buffer | string): Composition | undefined {
  const { composition } = (parsedJson(content.toString()) ?? {}) as { composition?: unknown }
  return CompositionShape.safeParse(composition).data
}
