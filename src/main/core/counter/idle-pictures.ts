/**
 * The office's pictures for the second display while nobody signs, accepted by their bytes and kept in the encrypted
 * database.
 */
import { createHash } from 'node:crypto'
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'
import { type PictureLimits, readPicture } from './logo.ts'

export const MAX_PICTURES = 8
/** A photograph that fills a screen, not animated. */
export const PICTURE_LIMITS: PictureLimits = {
  bytes: 3 * 1024 * 1024,
  size: '3 MB',
  pixels: 4000,
  kinds: ['png', 'jpeg'],
  named: 'PNG or JPEG',
  isStill: true
}

export type IdlePictures = ReturnType<typeof openIdlePictures>

export function openIdlePictures({ db }: { db: Db }) {
  const statements = new Statements(db)
  const ids = statements.values<[], string>('SELECT id FROM counter_pictures ORDER BY position')
  const find = statements.value<[id: string], Buffer>('SELECT picture FROM counter_pictures WHERE id = ?')
  const put = statements.run<[id: string, position: number, picture: Uint8Array]>(
    'INSERT INTO counter_pictures (id, position, picture) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  )
  const setPosition = statements.run<[position: number, id: string]>(
    'UPDATE counter_pictures SET position = ? WHERE id = ?'
  )
  const remove = statements.run<[id: string]>('DELETE FROM counter_pictures WHERE id = ?')

  const keep = db.transaction((keptIds: readonly string[]) => {
    for (const id of ids()) if (!keptIds.includes(id)) remove(id)
    for (const [position, id] of keptIds.entries()) setPosition(position, id)
  })

  return {
    /** In the order in which they are shown. */
    ids: () => ids(),

    /** Returns a picture as a data URL; undefined if there is none, or the stored one wouldn't be accepted today. */
    read(id: string): string | undefined {
      const bytes = find(id)
      const read = bytes && readPicture(bytes, PICTURE_LIMITS)
      return read?.ok ? read.dataUrl : undefined
    },

    /** @throws AppFailure `bad-file`, or `invalid` if there are enough pictures; SQLite's error. */
    add(bytes: Uint8Array): void {
      const read = readPicture(bytes, PICTURE_LIMITS)
      if (!read.ok) fail('bad-file', read.message)
      const known = ids()
      if (known.length >= MAX_PICTURES)
        fail('invalid', `There are ${MAX_PICTURES} pictures already.`, { next: 'Remove one first.' })
      put(createHash('sha256').update(bytes).digest('base64url').slice(0, 22), known.length, bytes)
    },

    /** Keeps only these, in this order, and deletes the others. */
    keep: (keptIds: readonly string[]) => keep.immediate(keptIds)
  }
}
