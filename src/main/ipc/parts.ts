/** The application's parts that handlers use, under the names that they have everywhere. */
import type { Accounts } from '../core/accounts/accounts.ts'
import type { Clients } from '../core/accounts/clients.ts'
import type { FetchedLists } from '../core/accounts/fetched-lists.ts'
import type { ServiceFactsStore } from '../core/accounts/service-facts.ts'
import type { Actions } from '../core/actions/actions.ts'
import type { Audit } from '../core/audit/audit.ts'
import type { AuditExports } from '../core/audit/signed-exports.ts'
import type { Bulk } from '../core/bulk/bulk.ts'
import type { Employers } from '../core/directory/employers.ts'
import type { KnownForms } from '../core/directory/known-forms.ts'
import type { Polling } from '../core/documents/polling/polling.ts'
import type { AskDocuments } from '../core/documents/questions.ts'
import type { Views } from '../core/documents/views.ts'
import type { Downloads } from '../core/downloads/downloads.ts'
import type { PdfPreviews } from '../core/downloads/pdf-preview.ts'
import type { Drafts } from '../core/drafts/drafts.ts'
import type { Exchange } from '../core/drafts/exchange.ts'
import type { FromOutside } from '../core/drafts/from-outside.ts'
import type { People } from '../core/drafts/people.ts'
import type { Presets } from '../core/drafts/presets.ts'
import type { Remembered } from '../core/drafts/remembered.ts'
import type { SharedDrafts } from '../core/drafts/shared-drafts.ts'
import type { DropFolders } from '../core/drop-folders/drop-folders.ts'
import type { Readings } from '../core/identity/readings.ts'
import type { Time } from '../core/lib/time.ts'
import type { Heads } from '../core/office/heads.ts'
import type { SharedRecords } from '../core/office/shared-records.ts'
import type { Outbox } from '../core/outbox/outbox.ts'
import type { Receipts } from '../core/receipts/receipts.ts'
import type { Verifications } from '../core/verifications/verifications.ts'
import type { Dialogs } from './dialogs.ts'

export interface Parts extends Dialogs {
  accounts: Accounts
  actions: Actions
  ask: AskDocuments
  audit: Pick<Audit, 'list' | 'check' | 'startCheck'>
  heads: Pick<Heads, 'findings'>
  auditExports: Pick<AuditExports, 'write' | 'check' | 'key' | 'writeKey'>
  bulk: Bulk
  clients: Clients
  downloads: Downloads
  drafts: Drafts
  dropFolders: DropFolders
  employers: Employers
  exchange: Exchange
  facts: ServiceFactsStore
  forms: KnownForms
  lists: FetchedLists
  outbox: Outbox
  outside: Pick<FromOutside, 'list' | 'accept' | 'dismiss'>
  people: People
  presets: Presets
  previews: PdfPreviews
  readings: Readings
  receipts: Pick<Receipts, 'people' | 'pdf' | 'print' | 'printKey' | 'check'>
  records: Pick<SharedRecords, 'withSyncState'>
  remembered: Remembered
  /** Shows a file or folder in the system's file manager. */
  reveal: (path: string) => void
  sharedDrafts: Pick<
    SharedDrafts,
    | 'withSyncState'
    | 'save'
    | 'editorOpened'
    | 'takeOver'
    | 'editorClosed'
    | 'setOwner'
    | 'resolveConflicts'
    | 'assertSendable'
  >
  time: Pick<Time, 'now' | 'zone'>
  verifications: Verifications
  views: Views
  polling: Polling
}
