/**
 * People who write at the workstations of an office, on the same drafts, presets, views, appointments and names of the address book, at once or
 * one after the other, and send what they wrote. Each time someone writes they add a word to what is shown there, and no word is like another: so
 * each is in a content until someone who saw it threw that away, whatever befell the workstations meanwhile. Who was forgotten at one and not
 * written to since is at none. It is judged by what the databases hold and the service has got.
 */
import { AppFailure } from '../../src/main/core/lib/failure.ts'
import { defined } from '../../src/main/core/lib/objects.ts'
import type { Composition } from '../../src/shared/composition/index.ts'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import type { Workplace } from '../fixtures/workplace.ts'
import type { Chance } from './chance.ts'
import type { Fault } from './ledger.ts'

/** A place to write at, and whether what is written there goes over by itself. */
interface Desk {
  readonly name: string
  readonly work: Workplace
}

/** A draft that is open somewhere, as it is shown there. */
interface Editor {
  readonly at: Desk
  /** The run of the application in which it is open. */
  readonly run: Workplace['parts']
  readonly id: string
  readonly edition: number | undefined
  text: string
}

/** A draft that was put in the outbox, as it was then. */
interface Sent {
  readonly at: Desk
  readonly id: string
  readonly draft: string
  readonly text: string
  /** Its workstation left an office that no longer knew it: it is for a person to find out what became of it before they send it again. */
  isLeftBehind?: boolean
}

const DEEDS = [
  ...['write', 'write', 'write', 'write', 'go on', 'go on', 'go on', 'close', 'close', 'settle', 'settle', 'send'],
  ...[
    'both send',
    'trash',
    'restore',
    'erase',
    'preset',
    'preset',
    'preset',
    'remove preset',
    'view',
    'view',
    'remove view'
  ],
  ...['appointment', 'appointment', 'appointment', 'mark', 'mark', 'remove appointment'],
  ...['send to', 'send to', 'send to', 'correct', 'forget']
] as const
type Deed = (typeof DEEDS)[number]

const MARKS = ['arrived', 'no-show', 'here', 'done', 'undo'] as const
const DAY = 86_400_000

/** What is longer nobody goes on with. */
const LONGEST = 120
const isShort = (text: string) => text.length <= LONGEST
const WITHOUT_WORDS = new Set<string>()

export class People {
  readonly #chance: Chance
  readonly #desks: readonly Desk[]
  readonly #editors: Editor[] = []
  readonly #sent: Sent[] = []
  /** Each word that was kept: by whom, in what, and of a person at which address. */
  readonly #words = new Map<string, { name: string; text: string; email: string | undefined }>()
  /** Those that someone who saw them threw away. */
  readonly #thrown = new Set<string>()
  /** Those that a workstation had no more once it had left. */
  readonly #leftBehind = new Set<string>()
  /** Whom someone forgot, by the e-mail address that is theirs alone; and of those whom nobody has written to since. */
  readonly #everForgotten = new Set<string>()
  readonly #forgotten = new Map<string, Desk>()
  #count = 0
  readonly #done = new Map<Deed, number>(DEEDS.map((deed) => [deed, 0]))

  /** @param desks more may come. */
  constructor(chance: Chance, desks: readonly Desk[]) {
    this.#chance = chance
    this.#desks = desks
  }

  get count(): number {
    return this.#words.size
  }

  /** How often each deed was done, rather than refused or without anything to be done to. */
  get done(): Record<string, number> {
    return Object.fromEntries(this.#done)
  }

  /** Up to as many things are done, each by someone somewhere. */
  async act(most: number): Promise<void> {
    for (let count = this.#chance.below(most + 1); count > 0; count--) {
      const at = this.#oneOf(this.#desks)
      const deed = this.#chance.oneOf(DEEDS)
      // What is refused is said to the person, who keeps what is on the screen: it doesn't count as kept.
      const isDone = at && (await this.#do(at, deed).catch(refused))
      if (isDone) this.#done.set(deed, (this.#done.get(deed) ?? 0) + 1)
    }
  }

  /** Whether there was something to do it to. */
  async #do(at: Desk, deed: Deed): Promise<boolean> {
    const { parts, accountId } = at.work
    switch (deed) {
      case 'write':
        return await this.#open(at)
      case 'go on':
        return this.#goOn()
      case 'close':
        return await this.#close(this.#oneOf(this.#editors))
      case 'settle': {
        const id = this.#oneOf(draftsOf(at, false).filter((one) => versionsOf(at, one, true).length > 0))
        if (id === undefined) return false
        // What is seen beside it isn't wanted.
        const seen = versionsOf(at, id, true)
        const kept = wordsIn(textOf(at, id))
        await parts.sharedDrafts.settle(id)
        return this.#throw(seen, kept)
      }
      case 'send':
        return this.#send(this.#oneOf(draftsOf(at, false)), [at])
      case 'both send':
        return this.#send(this.#oneOf(draftsOf(at, false)), this.#desks)
      case 'trash': {
        // Fewer than there come.
        const id = this.#chance.below(3) === 0 ? this.#oneOf(draftsOf(at, false)) : undefined
        if (id !== undefined) parts.drafts.remove(id)
        return id !== undefined
      }
      case 'restore': {
        const id = this.#oneOf(draftsOf(at, true))
        if (id !== undefined) parts.drafts.restore(id)
        return id !== undefined
      }
      case 'erase': {
        const id = this.#oneOf(draftsOf(at, true))
        if (id === undefined) return false
        const seen = [textOf(at, id), ...versionsOf(at, id)]
        parts.drafts.erase(id)
        return this.#throw(seen)
      }
      case 'preset': {
        const one = this.#oneOf(presetsOf(at).filter(({ text: its }) => isShort(its)))
        const text = this.#longer(one?.text ?? 'Preset')
        parts.presets.save(accountId, one?.name ?? text, named(text), one?.id)
        return this.#keep(text, at)
      }
      case 'remove preset': {
        const one = this.#chance.below(3) === 0 ? this.#oneOf(presetsOf(at)) : undefined
        if (!one) return false
        parts.presets.remove(one.id)
        return this.#throw([one.text])
      }
      case 'view': {
        const one = this.#oneOf(parts.views.list(accountId).filter(({ query }) => isShort(query.search)))
        const search = this.#longer(one?.query.search ?? 'View')
        const query = DocumentQuery.parse({ search })
        parts.views.save(accountId, { name: one?.name ?? search, query, tell: false, id: one?.id })
        return this.#keep(search, at)
      }
      case 'remove view': {
        const one = this.#chance.below(3) === 0 ? this.#oneOf(parts.views.list(accountId)) : undefined
        if (!one) return false
        parts.views.remove(accountId, one.id)
        return this.#throw([one.query.search])
      }
      case 'appointment': {
        const one = this.#oneOf(appointmentsOf(at).filter(({ about: its }) => isShort(its)))
        const about = this.#longer(one?.about || 'Appointment')
        // Of a day that is to come, whenever this runs.
        const when = { at: Math.ceil(at.work.time.now / DAY) * DAY + DAY, minutes: 30 }
        const { id, name, email, mobile, place } = one ?? { name: about }
        parts.appointments.save({ ...when, ...defined({ id, email, mobile, place }), name, about })
        return this.#keep(about, at)
      }
      case 'mark': {
        const one = this.#oneOf(appointmentsOf(at))
        if (one) parts.appointments.mark(one.id, this.#chance.oneOf(MARKS))
        return one !== undefined
      }
      case 'remove appointment': {
        const one = this.#chance.below(3) === 0 ? this.#oneOf(appointmentsOf(at)) : undefined
        if (!one) return false
        parts.appointments.remove(one.id)
        return this.#throw([one.name, one.about])
      }
      case 'send to': {
        const one = this.#chance.below(2) === 0 ? this.#oneOf(peopleOf(at)) : undefined
        const LastName = one?.LastName ?? this.#longer('Person')
        const Email = one?.Email ?? `person-${this.#count}@example.com`
        parts.people.note(accountId, forms({ items: [form({ signers: [signer({ LastName, Email })] })] }))
        this.#forgotten.delete(Email)
        return one !== undefined || this.#keep(LastName, at, Email)
      }
      case 'correct': {
        const one = this.#oneOf(peopleOf(at).filter(({ LastName: its }) => isShort(its)))
        if (!one) return false
        const LastName = this.#longer(one.LastName)
        parts.people.correct(accountId, one, { ...one, LastName })
        this.#forgotten.delete(one.Email)
        return this.#keep(LastName, at, one.Email)
      }
      case 'forget': {
        const one = this.#oneOf(peopleOf(at))
        if (!one) return false
        parts.people.forget(accountId, one.Email)
        // Also what another calls them who hasn't heard of it: that is final.
        this.#everForgotten.add(one.Email)
        if (parts.outbox.shared.accounts().has(accountId)) this.#forgotten.set(one.Email, at)
        return true
      }
    }
  }

  /** The server is put back: what no workstation has any more, as those that had it have left since, was the server’s alone. */
  onlyHere(): void {
    const held = this.#desks.map((at) => wordsAt(at))
    for (const word of this.#leftBehind) if (!held.some((words) => words.has(word))) this.#thrown.add(word)
  }

  /**
   * A workstation leaves the office: what it has of the office’s stays there. Whom it forgot it may have told nobody, and whom it knows it brings
   * along when it joins again. @param isUnknown the office no longer knows it.
   */
  async leaves(name: string, leave: () => Promise<void>, isUnknown = false): Promise<void> {
    const at = this.#desks.find((desk) => desk.name === name)
    if (!at) return
    const had = wordsAt(at)
    if (isUnknown) for (const one of this.#sent) one.isLeftBehind ||= one.at === at
    await leave()
    const has = wordsAt(at)
    for (const word of had) if (!has.has(word)) this.#leftBehind.add(word)
    const known = new Set(peopleOf(at).map(({ Email }) => Email))
    for (const [email, by] of this.#forgotten) if (by === at || known.has(email)) this.#forgotten.delete(email)
  }

  /** Someone opens a draft, or begins one. What another is at they take over, or leave. */
  async #open(at: Desk): Promise<boolean> {
    await this.#close(this.#editors.find((editor) => editor.at === at))
    const { parts, accountId } = at.work
    const id =
      this.#chance.below(4) === 0
        ? undefined
        : this.#oneOf(draftsOf(at, false).filter((one) => isShort(textOf(at, one))))
    if (id === undefined) {
      const text = this.#longer('Draft')
      const made = parts.sharedDrafts.save(accountId, named(text))
      this.#keep(text, at)
      parts.sharedDrafts.edit(made.id)
      this.#editors.push({ at, run: parts, id: made.id, edition: editionOf(at, made.id), text })
      return true
    }
    const isHeld = parts.sharedDrafts.marked(parts.drafts.summary(id)).office?.editingBy !== undefined
    if (isHeld && this.#chance.below(2) === 0) return false
    if (isHeld) await parts.sharedDrafts.takeOver(id)
    // The computer may have been ended meanwhile.
    if (at.work.parts !== parts) return false
    parts.sharedDrafts.edit(id)
    const editor = { at, run: parts, id, edition: editionOf(at, id), text: textOf(at, id) }
    this.#editors.push(editor)
    return this.#type(editor)
  }

  #goOn(): boolean {
    const editor = this.#oneOf(this.#editors)
    if (!editor || !isShort(editor.text)) return false
    // What was open as the computer was ended is open no more.
    if (editor.at.work.parts === editor.run) return this.#type(editor)
    this.#editors.splice(this.#editors.indexOf(editor), 1)
    return false
  }

  #type(editor: Editor): true {
    const { at, run, id, edition } = editor
    const text = this.#longer(editor.text)
    run.sharedDrafts.save(at.work.accountId, named(text), id, undefined, edition)
    editor.text = text
    return this.#keep(text, at)
  }

  async #close(editor: Editor | undefined): Promise<boolean> {
    if (!editor) return false
    this.#editors.splice(this.#editors.indexOf(editor), 1)
    if (editor.at.work.parts !== editor.run) return false
    await editor.run.sharedDrafts.leave(editor.id)
    return true
  }

  /** At one of them, or at all at the same moment. Nobody sends a second time what they see was sent. */
  #send(id: string | undefined, desks: readonly Desk[]): boolean {
    if (id === undefined) return false
    const already = this.#sent.length
    const before = new Set(this.#sent.map(({ text }) => text))
    for (const at of desks) {
      const { drafts, outbox, sharedDrafts } = at.work.parts
      try {
        const text = textOf(at, id)
        if (before.has(text)) continue
        const isTrashed = drafts.summary(id).trashedAt !== undefined
        if (isTrashed) continue
        sharedDrafts.mustBeOne(id)
        const versions = versionsOf(at, id)
        const send = outbox.start(id)
        outbox.now(send.id)
        this.#sent.push({ at, id: send.id, draft: id, text })
        // Its versions go with it, as nobody wanted them.
        this.#throw(versions, wordsIn(text))
      } catch (error) {
        // It isn't there, or is being sent: that is said.
        refused(error)
      }
    }
    return this.#sent.length > already
  }

  /** What is written next, after this. */
  #longer(text: string): string {
    return `${text} w${++this.#count}e`
  }

  #keep(text: string, { name }: Desk, email?: string): true {
    const word = text.split(' ').at(-1) ?? ''
    this.#words.set(word, { name, text, email })
    return true
  }

  #throw(texts: readonly string[], kept: ReadonlySet<string> = WITHOUT_WORDS): true {
    for (const text of texts) for (const word of wordsIn(text)) if (!kept.has(word)) this.#thrown.add(word)
    return true
  }

  #oneOf<Item>(items: readonly Item[]): Item | undefined {
    return items[this.#chance.below(items.length)]
  }

  /** Everything is closed, as in the evening. */
  async closeAll(): Promise<void> {
    while (this.#editors.length > 0) await this.#close(this.#editors[0]).catch(refused)
  }

  /**
   * Drafts of which the service has got more than one content, as their sends were called: one name twice is counted by its name.
   * @param arrived how often the service has got each name.
   */
  doubled(arrived: ReadonlyMap<string, number>): Fault[] {
    const texts = Map.groupBy(
      this.#sent.filter(({ text, isLeftBehind }) => arrived.has(text) && !isLeftBehind),
      ({ draft }) => draft
    )
    return [...texts].flatMap(([draft, sent]) => {
      const its = [...new Set(sent.map(({ text, at }) => `${text} from ${at.name}`))]
      const isOnce = new Set(sent.map(({ text }) => text)).size === 1
      return isOnce
        ? []
        : [{ kind: 'doubled' as const, words: `draft ${draft.slice(0, 8)} arrived as ${its.join('; ')}` }]
    })
  }

  /** Once nothing is on its way any more. @param arrived how often the service has got each name. */
  faults(arrived: ReadonlyMap<string, number>): Fault[] {
    const held = this.#desks.map((at) => wordsAt(at))
    const there = new Set([...arrived.keys()].flatMap((name) => [...wordsIn(name)]))
    const lost = [...this.#words].filter(
      ([word, { email = '' }]) =>
        !this.#thrown.has(word) &&
        !this.#everForgotten.has(email) &&
        !there.has(word) &&
        !held.some((words) => words.has(word))
    )
    return [
      ...lost.map(([word, { name, text }]) => ({
        kind: 'lost' as const,
        words: `${word} of ${name} is nowhere: ${text}`
      })),
      ...this.#alike(),
      ...this.#remembered(),
      ...this.#sent.flatMap((one) => faultOfSent(one, arrived))
    ]
  }

  /** Who was forgotten is there. */
  #remembered(): Fault[] {
    const there = this.#desks.flatMap((at) => peopleOf(at).map(({ Email }) => ({ Email, name: at.name })))
    return there
      .filter(({ Email }) => this.#forgotten.has(Email))
      .map(({ Email, name }) => ({ kind: 'wrong', words: `${Email} was forgotten, and is known at ${name}` }))
  }

  /** Every workstation shows the same. */
  #alike(): Fault[] {
    const shown = this.#desks.map(shownAt)
    const [first = []] = shown
    return shown.flatMap((lines, index) => {
      const more = lines.filter((line) => !first.includes(line))
      const less = first.filter((line) => !lines.includes(line))
      const name = this.#desks[index]?.name
      return more.length + less.length === 0
        ? []
        : [{ kind: 'wrong' as const, words: `${name} has ${more.join('; ')}, and lacks ${less.join('; ')}` }]
    })
  }
}

/** What the application refuses in words is no fault of it: whatever else it throws is. */
function refused(error: unknown): false {
  if (error instanceof AppFailure) return false
  throw error
}

function faultOfSent({ at, id, text }: Sent, arrived: ReadonlyMap<string, number>): Fault[] {
  const state = rowsOf(at.work).find((row) => row.id === id)?.state
  const words = `${text} is ${state} at ${at.name}`
  if (state === 'sent' && !arrived.has(text)) return [{ kind: 'lost', words: `${words}, and the service has nothing` }]
  return state === 'ready' || state === 'sending' ? [{ kind: 'wrong', words: `${words} in the end` }] : []
}

const named = (Name: string): Composition => forms({ items: [form({ Name, Reference: 'draft' })] })
const nameIn = ({ items: [item] }: Composition) => (item && 'Name' in item ? item.Name : '')
const wordsIn = (text: string) => new Set(text.match(/w\d+e/g) ?? WITHOUT_WORDS)

/** All that a workstation's Outbox shows. */
export function rowsOf({ parts, accountId }: Workplace) {
  return parts.outbox.list([accountId], { show: 'all', offset: 0, limit: 10_000 }).rows
}

/** What people write here, not the packages that are put in and taken back beside it. */
function draftsOf(at: Desk, trashed: boolean): string[] {
  const { rows } = at.work.parts.drafts.list([at.work.accountId], { trashed })
  return rows.filter(({ title }) => wordsIn(title).size > 0).map(({ id }) => id)
}
const textOf = ({ work }: Desk, id: string) => nameIn(work.parts.drafts.get(id).composition)
const editionOf = ({ work }: Desk, id: string) =>
  work.parts.sharedDrafts.marked(work.parts.drafts.summary(id)).office?.edition

/** Of all its versions what they say. @param isOpen only of those that nobody has decided on. */
function versionsOf({ work }: Desk, id: string, isOpen = false): string[] {
  const { drafts } = work.parts
  const its = drafts.history(id).filter((version) => !isOpen || version.isOpen === true)
  return its.map((version) => nameIn(drafts.version(id, version.id)))
}

function presetsOf({ work }: Desk): { id: string; name: string; text: string }[] {
  const { presets } = work.parts
  return presets.list(work.accountId).map(({ id, name }) => ({ id, name, text: nameIn(presets.get(id).composition) }))
}

function appointmentsOf({ work }: Desk) {
  return work.parts.appointments.table.between(work.accountId, 0, Number.MAX_SAFE_INTEGER)
}

function peopleOf({ work }: Desk) {
  return work.parts.people.list(work.accountId, { search: 'Person', offset: 0, limit: 10_000 }).rows
}

/** What a person could read somewhere at a workstation. */
function wordsAt(at: Desk): Set<string> {
  const { parts, accountId } = at.work
  const drafts = [false, true].flatMap((trashed) => draftsOf(at, trashed))
  const texts = [
    ...drafts.flatMap((id) => [textOf(at, id), ...versionsOf(at, id)]),
    ...presetsOf(at).map(({ text }) => text),
    ...parts.views.list(accountId).map(({ query }) => query.search),
    ...appointmentsOf(at).flatMap(({ name, about }) => [name, about]),
    ...peopleOf(at).map(({ LastName }) => LastName),
    ...rowsOf(at.work).map(({ title }) => title)
  ]
  return new Set(texts.flatMap((text) => [...wordsIn(text)]))
}

/** What is the same at each. */
function shownAt(at: Desk): string[] {
  const { parts, accountId } = at.work
  const drafts = [false, true].flatMap((trashed) =>
    draftsOf(at, trashed).map((id) => {
      const beside = versionsOf(at, id, true).sort().join(', ')
      return `draft ${id.slice(0, 8)}${trashed ? ' in the trash' : ''}: ${textOf(at, id)}${beside && ` beside ${beside}`}`
    })
  )
  const presets = presetsOf(at).map(({ name, text }) => `preset ${name}: ${text}`)
  const views = parts.views.list(accountId).map(({ name, query }) => `view ${name}: ${query.search}`)
  const appointments = appointmentsOf(at).map(({ name, about, state }) => `appointment ${name}: ${about}, ${state}`)
  const people = peopleOf(at).map(({ LastName, Email }) => `person ${LastName} <${Email}>`)
  return [...drafts, ...presets, ...views, ...appointments, ...people]
}
