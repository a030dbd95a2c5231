/** The messages between the test and the application under attack. */

import type { SigningTurn } from '../../../src/main/core/counter/deps.ts'
import type { MediaDevice, MediaRight } from '../../../src/main/core/policy/permissions.ts'
import type { Role } from '../../../src/main/ipc/registration.ts'

/** Input as the system would deliver it to the signing page. */
export type Input = Electron.MouseInputEvent | Electron.MouseWheelInputEvent | Electron.KeyboardInputEvent

export type Command =
  | {
      do: 'open'
      turn: Omit<SigningTurn, 'events' | 'media' | 'files'>
      /** Whether the page may use camera and microphone; by default never. */
      media?: MediaRight
      /** The name of the camera that the office chose; by default none. */
      camera?: string
      /** Whether it may be given a file; by default it may not. */
      files?: boolean
      timeoutMs: number
      /** What host names resolve to; others can't be resolved. */
      lookups: Record<string, string[]>
    }
  /** Staff starts or stops testing the camera in our own page. */
  | { do: 'test-camera'; isOpen: boolean }
  /** What the page may do with camera and microphone from now on. */
  | { do: 'media'; right: MediaRight }
  /** Staff's answer to the oldest open question. */
  | { do: 'answer'; granted: boolean }
  /** The person gives the page a file with this name and content; rejects if the page hasn't asked for one. */
  | { do: 'give'; name: string; text: string }
  /** Answers the verdict on a signer's link in a service's account, before anything of it is loaded. */
  | { do: 'judge'; link: string }
  /**
   * Another program starts the application with these. Answers what waits for a person's consent, and what was kept
   * without it.
   */
  | { do: 'bring'; args: string[] }
  | { do: 'show' }
  | { do: 'cover' }
  | { do: 'zoom'; factor: number }
  | { do: 'print' }
  /** Answers the file's bytes as Latin-1. */
  | { do: 'pdf' }
  | { do: 'input'; events: Input[] }
  /** A browser command about the signing page, over the debugger session that holds it. */
  | { do: 'debug'; method: string; params: object }
  /** Drops that session. */
  | { do: 'let-go' }
  | { do: 'end' }
  | { do: 'run-in-signing-page'; script: string }
  | { do: 'run-in-own-page'; script: string }
  | { do: 'crash-signing-page' }
  /** Sets whose page our own is: the office's, or that of the second display. */
  | { do: 'be'; role: Role }
  /** Ann signs at the second display, and then Ben at `place`. Answers the ids of both sittings. */
  | { do: 'sit'; place: 'here' | 'other-display'; until: 'open' | 'done' }
  /** Draws a receipt with this text wherever it has text of others. Answers `Drawn`. */
  | { do: 'draw-receipt'; text: string }
  /** One answers a receipt's file, the other the verdict on one. Files are in Base64. */
  | { do: 'seal-receipt' }
  | { do: 'judge-receipt'; file: string }
  /** Answers `ReadFile`. @param meanwhile what others write into the file while it is being read */
  | { do: 'read-appointments'; path: string; meanwhile?: string | undefined }
  /** Answers a spreadsheet file with this text in a cell. */
  | { do: 'write-cells'; text: string }
  | { do: 'forget' }
  | { do: 'facts' }
  | { do: 'quit' }

/** What a drawn receipt contains. */
export interface Drawn {
  /** Places in the PDF that lead elsewhere when pressed. */
  links: number
  /** Rows of its tables. */
  rows: number
  /** Invisible characters that change the direction of a line, or break it. */
  unseen: number
}

/** What was read from a file of appointments, or why it was refused as a whole. */
export type ReadFile =
  | { refused: string }
  | { appointments: { name: string; email: string; at: string; place: string; about: string }[]; refusals: string[] }

export type Report =
  | { kind: 'ready' }
  | { kind: 'loading' }
  | { kind: 'open' }
  | { kind: 'returned' }
  | { kind: 'failed'; code: string; text: string }
  | { kind: 'refused'; text: string; requested?: 'file' }
  | { kind: 'asks-for'; devices: MediaDevice[] }
  | { kind: 'asks-for-file'; accept: string[] }
  | { kind: 'other-camera' }
  | { kind: 'touched' }
  | { kind: 'log'; text: string }

export interface Answer {
  kind: 'answer'
  id: number
  value?: unknown
  error?: string
}

export interface Facts {
  ownUrl: string
  signingUrl: string
  /** The number of pages of any kind. */
  pages: number
  /** The number of sessions that signing pages have had so far, over all turns. */
  sessions: number
  /** The files in the downloads folder. */
  files: string[]
  /** Requests of the contract that reached a handler. */
  handled: string[]
  /** What the session policy denied. */
  denied: string[]
  window: { title: string; isFullScreen: boolean }
  /** Each page's WebRTC policy. */
  calls: string[]
  /** The place and state of the signing page, while there is one. */
  view: { place: Electron.Rectangle; isVisible: boolean; isMuted: boolean; hasKeyboard: boolean } | undefined
}
