/**
 * Requests about downloads, and about viewing a document's PDFs. Paths stay in the main process; the screens know ids
 * and labels.
 */
import type { DownloadCheck, DownloadState, DownloadSummary } from '../../shared/contract/index.ts'
import { assertValidPattern } from '../core/downloads/name-pattern.ts'
import { defined } from '../core/lib/objects.ts'
import { chosenId, coveredOwner, shownIds } from './covered-accounts.ts'
import { getDocument } from './documents.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface DownloadParts extends Pick<Parts, 'accounts' | 'ask' | 'downloads' | 'reveal'> {
  /** Lets the user choose a folder. Returns its path; undefined if cancelled. */
  chooseFolder: (stillAsking: () => boolean) => Promise<string | undefined>
}

export function downloadHandlers(parts: DownloadParts): HandlersOf<'downloads'> {
  const { accounts, ask, downloads } = parts
  const chosen = () => chosenId(accounts)
  const summary = () => shownIds(accounts).map(downloads.summary).reduce(combineSummaries)
  const forAll = <Answer>(act: (accountId: string) => Promise<Answer>) => Promise.all(shownIds(accounts).map(act))
  const ownerOf = (id: string) => coveredOwner(accounts, downloads.accountOf(id))
  const ownerOfRule = (id: string) =>
    shownIds(accounts).find((accountId) => downloads.rules.list(accountId).some((rule) => rule.id === id)) ?? chosen()
  return {
    'downloads.start': async ({ reference, type }) => {
      const accountId = chosen()
      const { document } = await getDocument(ask, accountId, reference)
      return downloads.start(accountId, reference, document.Name ?? reference, type)
    },
    'downloads.add': async ({ what, ...choice }) => {
      assertValidPattern(choice.pattern)
      return downloads.add(chosen(), what, choice)
    },
    'downloads.list': async (demand) => downloads.list(shownIds(accounts), demand),
    'downloads.summary': async () => summary(),
    // All accounts share one queue, which is paused as a whole.
    'downloads.pause': async () => {
      await downloads.pause(chosen())
      return summary()
    },
    'downloads.resume': async () => {
      downloads.resume(chosen())
      return summary()
    },
    'downloads.cancel': async ({ id }) => downloads.cancel(ownerOf(id), id),
    'downloads.cancelAll': async () => void (await forAll(downloads.cancelAll)),
    'downloads.relocate': async ({ from, to }) => {
      const moved = await forAll((accountId) => downloads.relocate(accountId, from, to))
      return { moved: moved.reduce((sum, count) => sum + count, 0) }
    },
    'downloads.retry': async ({ ids }) => {
      for (const [accountId, own] of Map.groupBy(ids, ownerOf)) await downloads.retry(accountId, own)
    },
    'downloads.retryFailed': async () => void (await forAll(downloads.retryFailed)),
    'downloads.clear': async () => void (await forAll(downloads.clear)),
    'downloads.reveal': async ({ id }) => parts.reveal(downloads.pathOf(ownerOf(id), id)),
    'downloads.settings': async () => downloads.settings(),
    'downloads.configure': async (changes) => downloads.configure(changes),
    'downloads.chooseFolder': async (_input, { stillAsking }) => {
      const path = await parts.chooseFolder(stillAsking)
      return path === undefined ? null : downloads.folders.register(path)
    },
    'downloads.preview': (input) => downloads.preview(chosen(), input),
    'downloads.rules': async () => shownIds(accounts).flatMap((id) => downloads.rules.list(id)),
    'downloads.addRule': async (input) => {
      assertValidPattern(input.pattern)
      return downloads.rules.add(chosen(), input)
    },
    'downloads.changeRule': async ({ id, ...changes }) => {
      if (changes.pattern !== undefined) assertValidPattern(changes.pattern)
      return downloads.rules.change(ownerOfRule(id), id, changes)
    },
    'downloads.removeRule': async ({ id }) => downloads.rules.remove(ownerOfRule(id), id),
    'downloads.verifyAgain': async ({ id }) => downloads.rules.retryVerifications(ownerOfRule(id), id),
    // Sequentially: they are on the same disks.
    'downloads.check': async () => {
      const found: DownloadCheck[] = []
      for (const id of shownIds(accounts)) found.push(await downloads.check(id))
      return found.reduce(combineChecks)
    },
    'downloads.writeIndex': ({ folderId }) => downloads.writeIndex(folderId)
  }
}

interface PdfParts extends Pick<Parts, 'accounts' | 'ask' | 'previews'> {
  /** Prints the office window's page with the system's dialog; false if cancelled. */
  print: () => Promise<boolean>
}

/** Requests for viewing the PDF of a document's identity check, and the signed document. */
export function pdfHandlers({ accounts, ask, previews, print }: PdfParts): HandlersOf<'pdf'> {
  return {
    'pdf.open': async ({ reference, kind }) => {
      const accountId = chosenId(accounts)
      const { document } = await getDocument(ask, accountId, reference)
      return previews.open(accountId, reference, document.Name ?? reference, kind)
    },
    'pdf.next': async ({ id }) => previews.next(id, chosenId(accounts)),
    'pdf.close': async ({ id }) => previews.close(id),
    'pdf.print': async () => ({ isPrinted: await print() })
  }
}

/** Combines two accounts' parts of the shared queue. */
function combineSummaries(one: DownloadSummary, other: DownloadSummary): DownloadSummary {
  const states = Object.keys(one.counts) as DownloadState[]
  const counts = Object.fromEntries(states.map((state) => [state, one.counts[state] + other.counts[state]]))
  const run = one.run && other.run ? addRuns(one.run, other.run) : (one.run ?? other.run)
  const total = one.total === undefined && other.total === undefined ? undefined : (one.total ?? 0) + (other.total ?? 0)
  const { problem, retryAt, folder } = one.problem ? one : other
  const secondsLeft = Math.max(one.secondsLeft ?? 0, other.secondsLeft ?? 0)
  return {
    counts: counts as DownloadSummary['counts'],
    isPaused: one.isPaused,
    bytes: one.bytes + other.bytes,
    // The speed is the whole queue's.
    ...defined({ run, total, problem, retryAt, folder, bytesPerSecond: one.bytesPerSecond ?? other.bytesPerSecond }),
    ...(secondsLeft > 0 && { secondsLeft })
  }
}

function addRuns(one: DownloadRun, other: DownloadRun): DownloadRun {
  return { done: one.done + other.done, failed: one.failed + other.failed, of: one.of + other.of }
}

type DownloadRun = NonNullable<DownloadSummary['run']>

function combineChecks(one: DownloadCheck, other: DownloadCheck): DownloadCheck {
  return {
    checkedAt: other.checkedAt,
    intact: one.intact + other.intact,
    missing: [...one.missing, ...other.missing],
    altered: [...one.altered, ...other.altered],
    unreadable: [...one.unreadable, ...other.unreadable]
  }
}
