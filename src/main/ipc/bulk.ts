/** Requests about sending in bulk. Paths stay on this side; the screens know ids and names. */
import { basename } from 'node:path'
import { titleOf } from '../../shared/composition/index.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './accounts.ts'
import { type Dialogs, type FileKind, saveAs, saveTable, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

export type BulkParts = Dialogs & Pick<Parts, 'accounts' | 'bulk'>

const TABLES: FileKind = { name: 'Tables', extensions: ['csv', 'xlsx', 'txt', 'tsv'] }

export function bulkHandlers({ accounts, bulk, ...dialogs }: BulkParts): HandlersOf<'bulk'> {
  return {
    'bulk.open': async (_input, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const [path] = await dialogs.chooseFiles('Choose a table', [TABLES], stillAsking)
      return path ? bulk.open(accountId, path, basename(path)) : null
    },
    'bulk.sheet': ({ id, sheet }) => bulk.sheet(chosenId(accounts), id, sheet),
    'bulk.remembered': async ({ id, composition }) => bulk.remembered(chosenId(accounts), id, composition),
    'bulk.check': (input) => bulk.check(chosenId(accounts), input),
    'bulk.rows': (input) => bulk.rows(chosenId(accounts), input),
    'bulk.send': (input) => bulk.send(chosenId(accounts), input),
    'bulk.exportFailed': async ({ id }, { stillAsking }) => {
      const { fileName, file } = bulk.failed(chosenId(accounts), id)
      const name = `${withoutEnding(fileName)} to mend`
      return saveTable(dialogs, { title: 'Save the rows to mend', name, file }, stillAsking)
    },
    'bulk.saveSample': async ({ composition, format }, { stillAsking }) => {
      const bytes = await bulk.sample(composition, format)
      const suggested = safeFileName(`${titleOf(composition)} sample`, { extension: format })
      return saveAs(dialogs, { title: 'Save a sample', suggested, kind: TABLE_KINDS[format], bytes }, stillAsking)
    },
    'bulk.close': async ({ id }) => bulk.close(id)
  }
}

function withoutEnding(fileName: string): string {
  return fileName.replace(/\.[^.]{1,5}$/, '')
}
