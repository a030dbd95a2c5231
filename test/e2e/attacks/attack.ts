/** What a row of the attack tables says, and what stands in the way of it. */
import type { Guard } from './guards.ts'
import type { Scene } from './scene.ts'

/**
 * After each attack these hold without being said: the page is still where it was and so is ours, in the same rectangle
 * and under the same title; there are no more pages than before; nothing was saved; elsewhere was not asked for anything,
 * and the service was not asked under another name; no request of the application's own contract was made.
 */
export interface Attack {
  /** What it would gain. */
  name: string
  /** What stands in the way, where it isn't what stands in the way of its whole area. */
  guard?: readonly Guard[]
  /** How it ends, where it isn't refused outright: it can be done, and this is why it gains nothing. */
  contained?: string
  /** What the page holds. `{here}`, `{port}` and `{elsewhere}` stand for the service's origin, its port and the other server. */
  page?: string
  /** What the page’s answer says beside it, and what is told ahead of the answer, each as in a `Link` header. */
  headers?: Readonly<Record<string, string>>
  hints?: readonly string[]
  /** What it does, as if the person had just clicked. May answer something. */
  script?: string
  /** What others write into the file as it is read. */
  meanwhile?: string
  /** For what one script can't do: several turns, a crash, what staff does meanwhile. */
  play?: (scene: Scene) => Promise<void>
  /** What the script must answer. */
  answers?: unknown
  /** What staff must be told. */
  told?: string
  /** What the session policy must have denied. */
  denied?: string
  /** Whether it may cost the page: gone to an empty one, or the turn failed. What is refused late can't be undone. */
  mayEndItself?: true
  /** How the turn stands afterwards, where it doesn't go on. */
  turnIs?: 'returned' | 'failed' | 'ended'
  /** A path that the service must not be asked for. */
  neverAsked?: string
  /** How the turn is opened, where not as usual. */
  turn?: TurnOptions
  /** Whether it shares its turn, where `sharesTurn` would say otherwise. */
  sharesTurn?: boolean
}

interface TurnOptions {
  media?: 'never' | 'ask' | 'yes'
  /** The name of the camera that the office chose. */
  camera?: string
  /** Whether the page may be given a file that staff opened. */
  files?: boolean
  returnAddresses?: string[]
  /** What names lead to, beside those that all rows know. */
  lookups?: Record<string, string[]>
  /** The link's own origin, where the office never typed its host. */
  linkOrigin?: string
}

/** Attacks of one kind, as a chapter of the document. */
export interface Area {
  title: string
  /** What an attacker is after here, for someone who reads the document. */
  about: string
  /**
   * Who attacks: a page of the signing service; foreign script within our own page; or the link of a signer, before
   * anything of it is loaded (`script` is then the link). Or a text of others that a receipt has (`script` is that text), a file
   * that staff chose (`script` is what it holds), or what another program starts the application with (`script` is then the
   * arguments, a line each, and the answer what waits for a person's word).
   */
  by: 'signing page' | 'own page' | 'link' | 'text of others' | 'file' | 'argument' | 'network'
  /**
   * Its rows need no browser: each is a test of its name in this file, from the repository’s root, and nothing else of the row
   * is played.
   */
  unit?: string
  guard: readonly Guard[]
  /**
   * Its rows are refused and leave nothing: they may come one after the other in the turn of one page, each in a
   * document of its own. Rows that play a scene or change the turn have one of their own all the same.
   */
  sharesTurns?: true
  /** Its service is an encrypted one, and so is elsewhere. */
  isEncrypted?: true
  attacks: readonly Attack[]
}

/** Whether a row may come after others of its kind in the same turn. */
export function sharesTurn(area: Area, attack: Attack): boolean {
  const isPlain = !attack.play && !attack.turn && !attack.turnIs && !attack.mayEndItself
  return area.by === 'signing page' && area.sharesTurns === true && (attack.sharesTurn ?? isPlain)
}

/** Where an attack begins, and where it would get to. */
export interface Ground {
  /** `http://127.0.0.1:PORT` of the service, or `https:`: the origin that a signing page may be on. */
  here: string
  /** Its port. */
  herePort: number
  /** `127.0.0.1:PORT` of elsewhere. */
  elsewhere: string
}

/** The text with the servers' addresses in it. */
export function on({ here, herePort, elsewhere }: Ground, text: string): string {
  return text
    .replaceAll('{here}', here)
    .replaceAll('{port}', String(herePort))
    .replaceAll('{elsewhere}', elsewhere)
    .replaceAll('{elsewhere-port}', elsewhere.split(':')[1] ?? '')
}
