/**
 * A choice of what is downloaded and how its files are called, while a person makes it: the forms, the folder, the
 * pattern with what it makes of real documents, and whether an index is kept.
 */
import type { AppError } from '../../../shared/contract/errors.ts'
import type {
  DownloadChoice,
  DownloadFolder,
  DownloadType,
  PatternPreview,
  RuleTask
} from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'

/** By this ending the main process tells the signed document from its identity check's report. */
const SIGNED = '.signed.pdf'
/** Milliseconds without a key until names are asked for. */
const TYPING = 200
/** As many as are shown. */
const EXAMPLES = 3

export interface TakenChoice extends DownloadChoice {
  folderId: string
}

/** What a document's files would be called. */
export interface ExampleName {
  /** Below the folder, with `/` between its parts, without its ending. */
  path: string
  /** ".pdf"; both endings where two files differ by it alone. */
  endings: readonly string[]
}

export class ChoosingDownloads {
  pattern = $state('')
  types = $state.raw<DownloadType[]>(['pdf'])
  writesIndex = $state(true)
  /** Whether a rule has the signatures verified, too; undefined where it isn't a rule that is made. */
  verifies = $state<boolean>()
  /** The pattern that it began with: kept where nothing is downloaded. */
  #begunWith = ''
  #folder = $state.raw<DownloadFolder>()
  /** By the types that are wanted. */
  #previews = $state.raw<readonly PatternPreview[]>([])
  #error = $state.raw<AppError>()
  #newest = 0
  #stopTyping = () => {}
  readonly #api: Api
  readonly #clock: Clock
  readonly #references: readonly string[] | undefined
  readonly choosing = new Action<DownloadFolder | null>()

  /** @param references the documents that names are shown of; those with an identity check that are newest, else. */
  constructor(api: Api, clock: Clock, references?: readonly string[]) {
    this.#api = api
    this.#clock = clock
    this.#references = references?.slice(0, EXAMPLES)
  }

  get folder(): DownloadFolder | undefined {
    return this.#folder
  }
  /** What files would be called; the last that could be told while another is asked for, and none by what can't be used. */
  get examples(): ExampleName[] {
    const [first, ...others] = this.#previews
    if (!first || this.problem !== undefined) return []
    const names = first.examples.flatMap(({ fileName }, index) =>
      namesOf([fileName, ...others.flatMap(({ examples }) => examples[index]?.fileName ?? [])])
    )
    return names.slice(0, EXAMPLES)
  }
  /** What of the pattern can't be used, in words. */
  get problem(): string | undefined {
    return this.pattern.trim() === '' ? 'Say what the files are to be called.' : this.#previews[0]?.problem
  }
  /** Why names can't be shown. */
  get error() {
    return this.#error
  }
  get isReady(): boolean {
    const isChosen = this.types.length > 0 ? this.problem === undefined : this.verifies === true
    return this.#folder !== undefined && isChosen
  }

  /** Begins with what was chosen before. @param isRule signatures can be verified, too. */
  begin(before: Omit<DownloadChoice, 'types'> & { types: RuleTask[]; folder: DownloadFolder }, isRule = false): void {
    const { types, pattern, writesIndex, folder } = before
    this.types = types.filter((type) => type !== 'verification')
    this.verifies = isRule ? types.includes('verification') : undefined
    this.pattern = pattern
    this.#begunWith = pattern
    this.writesIndex = writesIndex
    this.#folder = folder
    void this.look()
  }

  /** Told with each key of the pattern: names follow after a moment. */
  typed(): void {
    this.#stopTyping()
    this.#stopTyping = this.#clock.after(TYPING, () => void this.look())
  }

  /** Asks now what files would be called; answers whether the pattern can be used. */
  async look(): Promise<boolean> {
    this.#stopTyping()
    const mine = ++this.#newest
    const { pattern } = this
    const references = this.#references?.length ? { references: [...this.#references] } : {}
    const asked = this.types.map((type) => settled(this.#api.downloads.preview({ pattern, type, ...references })))
    const answers = await Promise.all(asked)
    if (mine !== this.#newest) return false
    const failed = answers.find((answer) => !answer.ok)
    this.#error = failed && !failed.ok ? failed.error : undefined
    if (failed) return false
    this.#previews = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
    return this.problem === undefined
  }

  /** Has the person choose a folder; undefined if they thought better of it, and nothing is changed. */
  async chooseFolder(): Promise<DownloadFolder | undefined> {
    const folder = await this.choosing.run(() => this.#api.downloads.chooseFolder())
    if (folder) this.#folder = folder
    return folder ?? undefined
  }

  /** What is chosen, as requests say it; undefined if it can't be used. */
  async taken(): Promise<TakenChoice | undefined> {
    const isOfFiles = this.types.length > 0
    if (!this.#folder || (isOfFiles && !(await this.look()))) return undefined
    const { types, writesIndex } = this
    const pattern = isOfFiles ? this.pattern : this.#begunWith
    return { types, pattern, writesIndex, folderId: this.#folder.id }
  }

  close(): void {
    this.#newest++
    this.#stopTyping()
  }
}

/** The names of one document's files: one name with all endings, or several where the names differ in more. */
function namesOf(fileNames: readonly string[]): ExampleName[] {
  const byPath = Map.groupBy(fileNames.map(split), ({ path }) => path)
  return [...byPath].map(([path, names]) => ({ path, endings: names.flatMap(({ endings }) => endings) }))
}

function split(fileName: string): ExampleName {
  const at = fileName.lastIndexOf(fileName.endsWith(SIGNED) ? SIGNED : '.')
  return at > fileName.lastIndexOf('/') + 1
    ? { path: fileName.slice(0, at), endings: [fileName.slice(at)] }
    : { path: fileName, endings: [] }
}
