/**
 * The choice of what is downloaded and how files are named, while the user makes it: the forms, the folder, the pattern
 * with a preview on real documents, and whether an index is kept.
 */
import type { AppError } from '../../../shared/contract/errors.ts'
import type {
  DownloadChoice,
  DownloadFolder,
  DownloadType,
  PatternPreview,
  RuleTask
} from '../../../shared/contract/views.ts'
import { endingOf } from '../../../shared/file-endings.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'

/** Milliseconds without a keystroke before the preview is requested. */
const PREVIEW_DELAY = 200
/** How many examples are shown. */
const EXAMPLES = 3

export interface ValidChoice extends DownloadChoice {
  folderId: string
}

/** The previewed name of a document's files. */
export interface ExampleName {
  /** Relative to the folder, with `/` as the separator, without the ending. */
  path: string
  /** ".identity.pdf"; or all endings if files differ only in that. */
  endings: readonly string[]
}

export class DownloadChooser {
  pattern = $state('')
  types = $state.raw<DownloadType[]>(['pdf'])
  writesIndex = $state(true)
  /** Whether a rule also verifies signatures. Undefined if the choice isn't for a rule. */
  verifies = $state<boolean>()
  /** The pattern it started with: kept if no files are downloaded. */
  #initialPattern = ''
  #folder = $state.raw<DownloadFolder>()
  /** One preview for each wanted type. */
  #previews = $state.raw<readonly PatternPreview[]>([])
  #error = $state.raw<AppError>()
  #newest = 0
  #cancelPreview = () => {}
  readonly #api: Api
  readonly #clock: Clock
  readonly #references: readonly string[] | undefined
  readonly choosing = new Action<DownloadFolder | null>()

  /** @param references the documents used for the preview; by default the newest ones with an identity check. */
  constructor(api: Api, clock: Clock, references?: readonly string[]) {
    this.#api = api
    this.#clock = clock
    this.#references = references?.slice(0, EXAMPLES)
  }

  get folder(): DownloadFolder | undefined {
    return this.#folder
  }
  /** The previewed file names. The last ones stay while new ones are requested; empty if the pattern is invalid. */
  get examples(): ExampleName[] {
    const [first, ...others] = this.#previews
    if (!first || this.problem !== undefined) return []
    const names = first.examples.flatMap(({ fileName }, index) =>
      namesOf([fileName, ...others.flatMap(({ examples }) => examples[index]?.fileName ?? [])])
    )
    return names.slice(0, EXAMPLES)
  }
  /** What is wrong with the pattern, for people to read. */
  get problem(): string | undefined {
    return this.pattern.trim() === '' ? 'Choose how the files are named.' : this.#previews[0]?.problem
  }
  /** Why the preview failed. */
  get error() {
    return this.#error
  }
  get isReady(): boolean {
    const isValid = this.types.length > 0 ? this.problem === undefined : this.verifies === true
    return this.#folder !== undefined && isValid
  }

  /** Starts with the previous choice. @param isRule whether signatures can be verified, too. */
  start(before: Omit<DownloadChoice, 'types'> & { types: RuleTask[]; folder: DownloadFolder }, isRule = false): void {
    const { types, pattern, writesIndex, folder } = before
    this.types = types.filter((type) => type !== 'verification')
    this.verifies = isRule ? types.includes('verification') : undefined
    this.pattern = pattern
    this.#initialPattern = pattern
    this.writesIndex = writesIndex
    this.#folder = folder
    void this.preview()
  }

  /** Called on each keystroke in the pattern; requests the preview after a pause. */
  schedulePreview(): void {
    this.#cancelPreview()
    this.#cancelPreview = this.#clock.after(PREVIEW_DELAY, () => void this.preview())
  }

  /** Requests the preview now. Returns whether the pattern is valid. */
  async preview(): Promise<boolean> {
    this.#cancelPreview()
    const mine = ++this.#newest
    const { pattern } = this
    const references = this.#references?.length ? { references: [...this.#references] } : {}
    const requests = this.types.map((type) => settled(this.#api.downloads.preview({ pattern, type, ...references })))
    const answers = await Promise.all(requests)
    if (mine !== this.#newest) return false
    const failed = answers.find((answer) => !answer.ok)
    this.#error = failed?.error
    if (failed) return false
    this.#previews = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
    return this.problem === undefined
  }

  /** Lets the user choose a folder. Returns undefined, and changes nothing, if they cancel. */
  async chooseFolder(): Promise<DownloadFolder | undefined> {
    const folder = await this.choosing.run(() => this.#api.downloads.chooseFolder())
    if (folder) this.#folder = folder
    return folder ?? undefined
  }

  /** Returns the choice as requests need it, or undefined if it is invalid. */
  async validate(): Promise<ValidChoice | undefined> {
    const includesFiles = this.types.length > 0
    if (!this.#folder || (includesFiles && !(await this.preview()))) return undefined
    const { types, writesIndex } = this
    const pattern = includesFiles ? this.pattern : this.#initialPattern
    return { types, pattern, writesIndex, folderId: this.#folder.id }
  }

  close(): void {
    this.#newest++
    this.#cancelPreview()
  }
}

/** Returns the names of one document's files: one name with all endings, or several if more than the endings differ. */
function namesOf(fileNames: readonly string[]): ExampleName[] {
  const byPath = Map.groupBy(fileNames.map(split), ({ path }) => path)
  return [...byPath].map(([path, names]) => ({ path, endings: names.flatMap(({ endings }) => endings) }))
}

function split(fileName: string): ExampleName {
  const ending = endingOf(fileName.slice(fileName.lastIndexOf('/') + 1))
  return { path: fileName.slice(0, fileName.length - ending.length), endings: ending === '' ? [] : [ending] }
}
