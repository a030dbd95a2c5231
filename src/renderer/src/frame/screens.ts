/**
 * Every screen, those of the side bar in its order: what each is called, its picture and the component that shows it. A
 * component comes from the disk when its screen is first opened, or before, while nothing else is to do.
 */
import {
  Activity,
  BookUser,
  CircleQuestionMark,
  Download,
  FileCheck,
  FileScan,
  FileText,
  Inbox,
  PenLine,
  ScanFace,
  ScrollText,
  Settings,
  SquarePen,
  Sun,
  Table2,
  UserCheck
} from '@lucide/svelte'
import type { Component } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import { type ScreenName, screenNames } from '../state/router.svelte.ts'

interface Screen {
  label: string
  icon: typeof FileText
  /** The section of the handbook that is about it. */
  help?: string
  load: () => Promise<{ default: Component }>
}

export const screens: Record<ScreenName, Screen> = {
  today: { label: 'Today', icon: Sun, help: 'guide/the-day', load: () => import('../screens/today/Today.svelte') },
  compose: {
    label: 'Compose',
    icon: SquarePen,
    help: 'guide/a-package',
    load: () => import('../screens/compose/Compose.svelte')
  },
  bulk: {
    label: 'Bulk send',
    icon: Table2,
    help: 'guide/bulk-send',
    load: () => import('../screens/bulk/Bulk.svelte')
  },
  drafts: {
    label: 'Drafts',
    icon: PenLine,
    help: 'guide/drafts',
    load: () => import('../screens/drafts/Drafts.svelte')
  },
  outbox: { label: 'Outbox', icon: Inbox, help: 'guide/send', load: () => import('../screens/outbox/Outbox.svelte') },
  documents: {
    label: 'Documents',
    icon: FileText,
    help: 'guide/documents',
    load: () => import('../screens/documents/Documents.svelte')
  },
  identity: {
    label: 'Identity check',
    icon: ScanFace,
    help: 'guide/reading-a-check',
    load: () => import('../screens/identity/Identity.svelte')
  },
  'identity-pdf': {
    label: 'Identity report',
    icon: FileScan,
    help: 'guide/looking-at-a-report',
    load: () => import('../screens/pdf/DocumentPdf.svelte')
  },
  'signed-document': {
    label: 'Signed document',
    icon: FileCheck,
    help: 'guide/signed-documents',
    load: () => import('../screens/pdf/DocumentPdf.svelte')
  },
  counter: {
    label: 'Counter',
    icon: UserCheck,
    help: 'guide/the-counter',
    load: () => import('../screens/counter/Counter.svelte')
  },
  audit: {
    label: 'Audit trail',
    icon: ScrollText,
    help: 'administration/evidence-and-the-audit-trail',
    load: () => import('../screens/audit/Audit.svelte')
  },
  downloads: {
    label: 'Downloads',
    icon: Download,
    help: 'guide/downloading',
    load: () => import('../screens/downloads/Downloads.svelte')
  },
  directory: {
    label: 'Directory',
    icon: BookUser,
    help: 'guide/activity-and-directory',
    load: () => import('../screens/directory/Directory.svelte')
  },
  activity: {
    label: 'Activity',
    icon: Activity,
    help: 'guide/activity-and-directory',
    load: () => import('../screens/activity/Activity.svelte')
  },
  settings: {
    label: 'Settings',
    icon: Settings,
    help: 'guide/settings',
    load: () => import('../screens/settings/Settings.svelte')
  },
  help: { label: 'Help', icon: CircleQuestionMark, load: () => import('../screens/help/Help.svelte') }
}

/** What is seen beside the screens or in their place, now and then. */
export const parts = {
  'first run': () => import('../screens/first-run/FirstRun.svelte'),
  lock: () => import('./LockScreen.svelte'),
  person: () => import('../screens/counter/person/PersonSide.svelte'),
  search: () => import('./CommandPalette.svelte'),
  shortcuts: () => import('./Shortcuts.svelte')
}

/** What each screen is called. */
export const labels = Object.fromEntries(screenNames.map((name) => [name, screens[name].label])) as Record<
  ScreenName,
  string
>

/** The components that are here: such a screen opens at once. */
const loaded = new SvelteMap<ScreenName, Component>()

/** What shows a screen, or undefined until `loadScreen` has brought it. */
export function componentOf(name: ScreenName): Component | undefined {
  return loaded.get(name)
}

/** Fails where the application's own files can't be read. */
export async function loadScreen(name: ScreenName): Promise<void> {
  if (!loaded.has(name)) loaded.set(name, (await screens[name].load()).default)
}

/** Brings all there is, one after the other: whoever opens a screen later doesn't wait for it. */
export async function loadScreens(): Promise<void> {
  for (const load of Object.values(parts)) await load()
  for (const name of screenNames) await loadScreen(name)
}
