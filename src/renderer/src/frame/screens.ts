/** Every screen, those of the side bar in its order: what each is called, its picture and the component that shows it. */
import {
  Activity,
  BookUser,
  Download,
  FileCheck,
  FileScan,
  FileText,
  Inbox,
  LayoutDashboard,
  PenLine,
  ScanFace,
  ScrollText,
  Settings,
  SquarePen,
  Table2,
  UserCheck
} from '@lucide/svelte'
import type { Component } from 'svelte'
import ActivityScreen from '../screens/activity/Activity.svelte'
import Audit from '../screens/audit/Audit.svelte'
import Bulk from '../screens/bulk/Bulk.svelte'
import Compose from '../screens/compose/Compose.svelte'
import Counter from '../screens/counter/Counter.svelte'
import Directory from '../screens/directory/Directory.svelte'
import Documents from '../screens/documents/Documents.svelte'
import Downloads from '../screens/downloads/Downloads.svelte'
import Drafts from '../screens/drafts/Drafts.svelte'
import Identity from '../screens/identity/Identity.svelte'
import Outbox from '../screens/outbox/Outbox.svelte'
import Overview from '../screens/overview/Overview.svelte'
import DocumentPdf from '../screens/pdf/DocumentPdf.svelte'
import SettingsScreen from '../screens/settings/Settings.svelte'
import type { ScreenName } from '../state/router.svelte.ts'

export const screens: Record<ScreenName, { label: string; icon: typeof FileText; component: Component }> = {
  overview: { label: 'Overview', icon: LayoutDashboard, component: Overview },
  compose: { label: 'Compose', icon: SquarePen, component: Compose },
  bulk: { label: 'Many at once', icon: Table2, component: Bulk },
  drafts: { label: 'Drafts', icon: PenLine, component: Drafts },
  outbox: { label: 'Outbox', icon: Inbox, component: Outbox },
  documents: { label: 'Documents', icon: FileText, component: Documents },
  identity: { label: 'Identity check', icon: ScanFace, component: Identity },
  'identity-pdf': { label: 'Identity report', icon: FileScan, component: DocumentPdf },
  'signed-document': { label: 'Signed document', icon: FileCheck, component: DocumentPdf },
  counter: { label: 'Counter', icon: UserCheck, component: Counter },
  audit: { label: 'Audit trail', icon: ScrollText, component: Audit },
  downloads: { label: 'Downloads', icon: Download, component: Downloads },
  directory: { label: 'Directory', icon: BookUser, component: Directory },
  activity: { label: 'Activity', icon: Activity, component: ActivityScreen },
  settings: { label: 'Settings', icon: Settings, component: SettingsScreen }
}
