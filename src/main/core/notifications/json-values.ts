/** Small things that telling remembers in the encrypted database: a text of JSON each, decoded when it is read. */
import type { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export function keptIn(db: Db) {
  const meta = openMeta(db)

  return {
    /** Undefined if nothing was kept, or what was can't be understood. */
    read<Schema extends z.ZodType>(key: string, schema: Schema): z.output<Schema> | undefined {
      const text = meta.read(key)
      if (text === undefined) return undefined
      const decoded = schema.safeParse(parsedJson(text))
      return decoded.success ? decoded.data : undefined
    },
    write: (key: string, value: unknown): void => meta.write(key, JSON.stringify(value)),
    erase: meta.erase
  }
}
