/** The screens of the side bar, in its order: what each is called, its picture and the component that shows it. */
import { Download, FileText, Inbox, PenLine, Settings, SquarePen, Table2, UserCheck } from '@lucide/svelte'
import type { Component } from 'svelte'
import Bulk from '../screens/bulk/Bulk.svelte'
import Compose from '../screens/compose/Compose.svelte'
import Counter from '../screens/counter/Counter.svelte'
import Documents from '../screens/documents/Documents.svelte'
import Downloads from '../screens/downloads/Downloads.svelte'
import Drafts from '../screens/drafts/Drafts.svelte'
import Outbox from '../screens/outbox/Outbox.svelte'
import SettingsScreen from '../screens/settings/Settings.svelte'
import type { ScreenName } from '../state/router.svelte.ts'

export interface ScreenEntry {
  label: string
  icon: typeof FileText
  component: Component
}

export const screens: Record<ScreenName, ScreenEntry> = {
  compose: { label: 'Compose', icon: SquarePen, component: Compose },
  bulk: { label: 'Many at once', icon: Table2, component: Bulk },
  drafts: { label: 'Drafts', icon: PenLine, component: Drafts },
  outbox: { label: 'Outbox', icon: Inbox, component: Outbox },
  documents: { label: 'Documents', icon: FileText, component: Documents },
  counter: { label: 'Counter', icon: UserCheck, component: Counter },
  downloads: { label: 'Downloads', icon: Download, component: Downloads },
  settings: { label: 'Settings', icon: Settings, component: SettingsScreen }
}
