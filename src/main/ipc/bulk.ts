/** Requests about bulk sending. Paths stay in the main process; the screens know ids and names. */
import { basename } from 'node:path'
import { titleOf } from '../../shared/composition/index.ts'
import { tableFile } from '../core/bulk/table-file.ts'
import { PRACTICE_PRESET } from '../core/drafts/practice-preset.ts'
import { fail } from '../core/lib/failure.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { chosenId } from './covered-accounts.ts'
import { type Dialogs, type FileKind, saveAs, saveTable, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

export type BulkParts = Dialogs &
  Pick<Parts, 'accounts' | 'bulk' | 'outbox'> & {
    readClipboard: () => Promise<string>
  }

/** File name shown for pasted rows. */
const PASTED = 'Pasted rows'

const TABLES: FileKind = { name: 'Tables', extensions: ['csv', 'xlsx', 'txt', 'tsv'] }

export function bulkHandlers({ accounts, bulk, outbox, readClipboard, ...dialogs }: BulkParts): HandlersOf<'bulk'> {
  return {
    'bulk.open': async (_input, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const [path] = await dialogs.chooseFiles('Choose a table', [TABLES], stillAsking)
      return path ? bulk.open(accountId, basename(path), { path }) : null
    },
    'bulk.openDropped': async ({ fileName, bytes }) => bulk.open(chosenId(accounts), fileName, { bytes }),
    'bulk.paste': async ({ text }, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const pasted = text ?? (await readClipboard())
      if (!stillAsking()) fail('gone', 'The screen was left.')
      return bulk.open(accountId, PASTED, { pasted })
    },
    'bulk.openLeftOut': async ({ batchId }) => {
      const accountId = chosenId(accounts)
      const { accountId: owner, name } = outbox.batches.get(batchId)
      if (owner !== accountId)
        fail('gone', 'This batch belongs to another account.', { next: 'Choose that account to send its rows.' })
      const { columns, rows } = outbox.batches.leftOutRows(batchId)
      if (rows.length === 0) fail('gone', 'No rows were left out of this batch.')
      const bytes = tableFile(
        'csv',
        columns,
        rows.map(({ cells }) => cells)
      )
      return bulk.open(accountId, `${name}, rows left out.csv`, { bytes })
    },
    'bulk.trySample': async ({ composition = PRACTICE_PRESET.composition }) => {
      const accountId = chosenId(accounts)
      if (accounts.get(accountId).kind !== 'practice')
        fail('not-allowed', 'Only the practice office has a sample sheet.')
      return { sheet: await bulk.trySample(accountId, composition), name: PRACTICE_PRESET.name, composition }
    },
    'bulk.sheet': ({ id, sheet, firstRow }) => bulk.sheet(chosenId(accounts), id, sheet, firstRow),
    'bulk.remembered': async ({ id, composition }) => bulk.rememberedMapping(chosenId(accounts), id, composition),
    'bulk.check': (input) => bulk.check(chosenId(accounts), input),
    'bulk.rows': (input) => bulk.rows(chosenId(accounts), input),
    'bulk.correct': (input) => bulk.correct(chosenId(accounts), input),
    'bulk.nextError': (input) => bulk.nextError(chosenId(accounts), input),
    'bulk.package': (input) => bulk.package(chosenId(accounts), input),
    'bulk.send': (input) => bulk.send(chosenId(accounts), input),
    'bulk.exportFailed': async ({ id }, { stillAsking }) => {
      const { fileName, file } = bulk.failedRows(chosenId(accounts), id)
      const name = `${withoutEnding(fileName)} with errors`
      return saveTable(dialogs, { title: 'Export rows with errors', name, file }, stillAsking)
    },
    'bulk.exportCorrected': async ({ id }, { stillAsking }) => {
      const { fileName, file } = bulk.correctedSheet(chosenId(accounts), id)
      const name = `${withoutEnding(fileName)} corrected`
      return saveTable(dialogs, { title: 'Save the corrected sheet', name, file }, stillAsking)
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
