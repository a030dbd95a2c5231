/** The part of the composition root that concerns reading identity checks, and what makes them go from memory. No logic of its own. */
import type { Accounts } from './core/accounts/accounts.ts'
import type { Clients } from './core/accounts/clients.ts'
import type { NoteInAudit } from './core/audit/audit.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import { openBriefCopy } from './core/identity/brief-copy.ts'
import { openPdfPreviews } from './core/identity/pdf-preview.ts'
import { openReadings } from './core/identity/readings.ts'
import { plainClipboard } from './shell/clipboard.ts'
import type { SendEvent } from './shell/events.ts'

export interface IdentityReadingDeps {
  accounts: Accounts
  clients: Clients
  ask: AskDocuments
  note: NoteInAudit
  send: SendEvent
  clock: () => number
  newId: () => string
  schedule: (task: () => void, delay: number) => () => void
  isHandedOver: () => boolean
}

export function openIdentityReading({
  accounts,
  clients,
  ask,
  note,
  send,
  isHandedOver,
  ...effects
}: IdentityReadingDeps) {
  const readings = openReadings({
    ...effects,
    clientOf: clients.of,
    nameOf: async (accountId, reference) => (await ask('get', { accountId, reference }))?.document.Name,
    note,
    cleared: (reading, why) => send('identity.cleared', { reading, why })
  })
  const pdfPreviews = openPdfPreviews({ ...effects, clientOf: clients.of, note })
  const briefCopy = openBriefCopy({ clipboard: plainClipboard, isAside: isHandedOver, schedule: effects.schedule })

  function clearAll(): void {
    readings.clearAll('away')
    pdfPreviews.closeAll()
  }

  return {
    readings,
    pdfPreviews,
    briefCopy,
    accountsChanged(): void {
      readings.clearOthers(accounts.chosen()?.id)
      pdfPreviews.closeOthers(accounts.chosen()?.id)
    },
    /** The counter moved on: where a person has this screen now, nothing of the office's stays in memory. */
    counterChanged: () => isHandedOver() && clearAll(),
    /** Nobody of staff is at the screen. */
    locked(): void {
      clearAll()
      // What is shown is in the page's memory alone.
      send('identityPdf.cleared', null)
    },
    async end(): Promise<void> {
      clearAll()
      await briefCopy.end()
    }
  }
}
