/** What a row of the attack tables says, and which protections stand in its way. */
import type { Guard } from './guards.ts'
import type { Scene } from './scene.ts'

/**
 * After each attack these hold implicitly: the page and our own page are still where they were, in the same rectangle
 * and under the same title; there are no more pages than before; nothing was saved; elsewhere got no request, and the
 * service none under another name; no request of the application's own contract was made.
 */
export interface Attack {
  /** What the attack would gain. */
  name: string
  /** The protections in its way, if they differ from those of its whole area. */
  guard?: readonly Guard[]
  /** How it ends if it isn't refused outright: it can be done, and this is why it gains nothing. */
  contained?: string
  /**
   * The content of the page. `{here}`, `{port}` and `{elsewhere}` stand for the service's origin, its port and the
   * other server.
   */
  page?: string
  /** Additional headers of the page's response, and early hints sent ahead of it, each as in a `Link` header. */
  headers?: Readonly<Record<string, string>>
  hints?: readonly string[]
  /** What the page runs, as if the person had just clicked. May return an answer. */
  script?: string
  /** What others write into the file while it is being read. */
  meanwhile?: string
  /** For what one script can't do: several turns, a crash, staff acting meanwhile. */
  play?: (scene: Scene) => Promise<void>
  /** The answer that the script must return. */
  answers?: unknown
  /** What staff must be told. */
  message?: string
  /** What the session policy must have denied. */
  denied?: string
  /**
   * Whether it may cost the page: an empty page in its place, or a failed turn. What is refused late can't be undone.
   */
  mayEndItself?: true
  /** The state of the turn afterwards, if it doesn't go on. */
  turnIs?: 'returned' | 'failed' | 'ended'
  /** A path that the service must not be asked for. */
  neverAsked?: string
  /** How the turn is opened, if not as usual. */
  turn?: TurnOptions
  /** Whether it shares its turn; overrides `sharesTurn`. */
  sharesTurn?: boolean
}

interface TurnOptions {
  media?: 'never' | 'ask' | 'yes'
  /** The name of the camera that the office chose. */
  camera?: string
  /** Whether the page may be given a file that staff opened. */
  files?: boolean
  returnAddresses?: string[]
  /** What host names resolve to, in addition to those that all rows know. */
  lookups?: Record<string, string[]>
  /** The link's own origin, if the office never typed its host. */
  linkOrigin?: string
}

/** Attacks of one kind: a chapter of the document. */
export interface Area {
  title: string
  /** What an attacker is after here, for readers of the document. */
  about: string
  /**
   * Who attacks: a page of the signing service; foreign script within our own page; or a signer's link, before anything
   * of it is loaded (`script` is then the link). Or others' text in a receipt (`script` is that text), a file that
   * staff chose (`script` is its content), or what another program starts the application with (`script` is then the
   * arguments, one per line, and the answer is what waits for a person's consent).
   */
  by: 'signing page' | 'own page' | 'link' | 'text of others' | 'file' | 'argument' | 'network'
  /**
   * For rows that need no browser: the test file, from the repository's root, that has a test of each row's name.
   * Nothing else of such a row is played.
   */
  unit?: string
  guard: readonly Guard[]
  /**
   * Its rows are refused and leave nothing behind: they may run one after another in one page's turn, each in its own
   * document. Rows that play a scene or change the turn still have a turn of their own.
   */
  sharesTurns?: true
  /** Whether its service and elsewhere are encrypted. */
  isEncrypted?: true
  attacks: readonly Attack[]
}

/** Returns whether a row may follow others of its kind in the same turn. */
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

/** Returns the text with the servers' addresses filled in. */
export function on({ here, herePort, elsewhere }: Ground, text: string): string {
  return text
    .replaceAll('{here}', here)
    .replaceAll('{port}', String(herePort))
    .replaceAll('{elsewhere}', elsewhere)
    .replaceAll('{elsewhere-port}', elsewhere.split(':')[1] ?? '')
}
