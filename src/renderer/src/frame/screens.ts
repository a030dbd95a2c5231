/**
 * All screens, those of the side bar in its order: label, icon and component. A component is loaded from disk when its
 * screen is first opened, or earlier when the application is idle.
 */
import {
  Activity,
  BookUser,
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
  load: () => Promise<{ default: Component }>
}

export const screens: Record<ScreenName, Screen> = {
  today: { label: 'Today', icon: Sun, load: () => import('../screens/today/Today.svelte') },
  compose: { label: 'New package', icon: SquarePen, load: () => import('../screens/compose/Compose.svelte') },
  bulk: { label: 'Bulk send', icon: Table2, load: () => import('../screens/bulk/Bulk.svelte') },
  drafts: { label: 'Drafts', icon: PenLine, load: () => import('../screens/drafts/Drafts.svelte') },
  outbox: { label: 'Outbox', icon: Inbox, load: () => import('../screens/outbox/Outbox.svelte') },
  documents: { label: 'Documents', icon: FileText, load: () => import('../screens/documents/Documents.svelte') },
  identity: { label: 'Identity check', icon: ScanFace, load: () => import('../screens/identity/Identity.svelte') },
  'identity-pdf': { label: 'Identity report', icon: FileScan, load: () => import('../screens/pdf/DocumentPdf.svelte') },
  'signed-document': {
    label: 'Signed document',
    icon: FileCheck,
    load: () => import('../screens/pdf/DocumentPdf.svelte')
  },
  counter: { label: 'Counter', icon: UserCheck, load: () => import('../screens/counter/Counter.svelte') },
  audit: { label: 'Audit trail', icon: ScrollText, load: () => import('../screens/audit/Audit.svelte') },
  downloads: { label: 'Downloads', icon: Download, load: () => import('../screens/downloads/Downloads.svelte') },
  directory: { label: 'Directory', icon: BookUser, load: () => import('../screens/directory/Directory.svelte') },
  activity: { label: 'Activity', icon: Activity, load: () => import('../screens/activity/Activity.svelte') },
  settings: { label: 'Settings', icon: Settings, load: () => import('../screens/settings/Settings.svelte') },
  requests: { label: 'Request log', icon: Activity, load: () => import('../screens/requests/RequestLog.svelte') },
  help: { label: 'Help', icon: ScrollText, load: () => import('../screens/help/Help.svelte') }
}

/** Parts shown occasionally next to the screens or instead of them. */
export const lazyParts = {
  'first run': () => import('../screens/first-run/FirstRun.svelte'),
  lock: () => import('./LockScreen.svelte'),
  layer: () => import('../screens/counter/CounterLayer.svelte'),
  person: () => import('../screens/counter/person/PersonSide.svelte'),
  drops: () => import('./DropZone.svelte'),
  search: () => import('./CommandPalette.svelte'),
  shortcuts: () => import('./Shortcuts.svelte'),
  notices: () => import('./Notices.svelte'),
  menu: () => import('../ui/Menu.svelte')
}

export const screenLabels = Object.fromEntries(screenNames.map((name) => [name, screens[name].label])) as Record<
  ScreenName,
  string
>

/** Components that are loaded: their screens open at once. */
const loaded = new SvelteMap<ScreenName, Component>()

/** Returns a screen's component, or undefined until `loadScreen` has loaded it. */
export function componentOf(name: ScreenName): Component | undefined {
  return loaded.get(name)
}

/** Loads a screen. Rejects if the application's own files can't be read. */
export async function loadScreen(name: ScreenName): Promise<void> {
  if (!loaded.has(name)) loaded.set(name, (await screens[name].load()).default)
}

/** Loads everything, one after the other, so that screens opened later need no wait. */
export async function loadScreens(): Promise<void> {
  for (const load of Object.values(lazyParts)) await load()
  for (const name of screenNames) await loadScreen(name)
}
