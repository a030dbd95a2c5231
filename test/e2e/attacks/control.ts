/** What the test and the application under attack say to each other. */

import type { SigningTurn } from '../../../src/main/core/counter/deps.ts'
import type { MediaDevice, MediaRight } from '../../../src/main/core/policy/permissions.ts'
import type { Role } from '../../../src/main/ipc/registration.ts'

/** As the system would tell it to the signing page. */
export type Input = Electron.MouseInputEvent | Electron.MouseWheelInputEvent | Electron.KeyboardInputEvent

export type Command =
  | {
      do: 'open'
      turn: Omit<SigningTurn, 'events' | 'media' | 'files'>
      /** Whether the page may use camera and microphone; by default never. */
      media?: MediaRight
      /** The name of the camera that the office chose; by default none. */
      camera?: string
      /** Whether it may be given a file; by default it isn’t. */
      files?: boolean
      timeoutMs: number
      /** What names lead to; others can't be resolved. */
      lookups: Record<string, string[]>
    }
  /** Staff begins to test the camera in our own page, or ends it. */
  | { do: 'test-camera'; isOpen: boolean }
  /** What the page may do with camera and microphone from now on. */
  | { do: 'media'; right: MediaRight }
  /** What staff says to the oldest question that waits. */
  | { do: 'answer'; granted: boolean }
  /** The person gives the page a file of this name and content; rejects where it asks for none. */
  | { do: 'give'; name: string; text: string }
  /** What is said of a signer's link before anything of it is loaded, in a service's account. */
  | { do: 'judge'; link: string }
  /** Another program starts the application with these. Answers what waits for a person, and what was kept without one. */
  | { do: 'bring'; args: string[] }
  | { do: 'show' }
  | { do: 'cover' }
  | { do: 'zoom'; factor: number }
  | { do: 'print' }
  /** Answers the file's bytes as Latin-1. */
  | { do: 'pdf' }
  | { do: 'input'; events: Input[] }
  /** A command to the browser about the signing page, over the line by which it is held. */
  | { do: 'debug'; method: string; params: object }
  /** Loses that line. */
  | { do: 'let-go' }
  | { do: 'end' }
  | { do: 'run-in-signing-page'; script: string }
  | { do: 'run-in-own-page'; script: string }
  | { do: 'crash-signing-page' }
  /** Whose page our own is from now on: the office's, or that of the second display. */
  | { do: 'be'; role: Role }
  /** Ann signs at the second display, and then Ben, where it is said; answers the ids of both sittings. */
  | { do: 'sit'; place: 'here' | 'other-display'; until: 'open' | 'done' }
  /** Draws a receipt that has this text wherever it says something of others; answers `Drawn`. */
  | { do: 'draw-receipt'; text: string }
  /** Answers a receipt's file, and what is found of one, both in Base64. */
  | { do: 'seal-receipt' }
  | { do: 'judge-receipt'; file: string }
  /** Answers `ReadFile`. @param meanwhile what others write into the file as it is read. */
  | { do: 'read-appointments'; path: string; meanwhile?: string | undefined }
  /** Answers a file for spreadsheets with this text in a cell. */
  | { do: 'write-cells'; text: string }
  | { do: 'forget' }
  | { do: 'facts' }
  | { do: 'quit' }

/** What a receipt holds once it was drawn. */
export interface Drawn {
  /** Places of the PDF that lead elsewhere when they are pressed. */
  links: number
  /** Rows of its tables. */
  rows: number
  /** Characters that can't be seen and turn or break a line. */
  unseen: number
}

/** What was read of a file of appointments, or why it was refused as a whole. */
export type ReadFile =
  | { refused: string }
  | { appointments: { name: string; email: string; at: string; place: string; about: string }[]; refusals: string[] }

export type Told =
  | { kind: 'ready' }
  | { kind: 'loading' }
  | { kind: 'open' }
  | { kind: 'returned' }
  | { kind: 'failed'; code: string; text: string }
  | { kind: 'refused'; text: string; wanted?: 'file' }
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
  /** How many pages of any kind there are. */
  pages: number
  /** How many sessions signing pages had so far, all turns taken together. */
  sessions: number
  /** What lies in the downloads folder. */
  files: string[]
  /** Requests of the contract that reached a handler. */
  asked: string[]
  /** What the session policy denied. */
  denied: string[]
  window: { title: string; isFullScreen: boolean }
  /** How each page may call others by WebRTC. */
  calls: string[]
  /** Where the signing page lies, while there is one. */
  view: { place: Electron.Rectangle; isVisible: boolean; isMuted: boolean; hasKeyboard: boolean } | undefined
}
