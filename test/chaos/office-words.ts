/**
 * People at the workstations of an office who edit the same drafts, presets, views, appointments and names of the
 * address book, at once or in turn, and send what they wrote. Each edit appends a unique word to the text shown there.
 * Each word must survive in some content until someone who saw it discards it, whatever happens to the workstations. A
 * person who was forgotten at one workstation and not written to since is known at none. Judged by what the databases
 * hold and the service received.
 */
import { AppFailure } from '../../src/main/core/lib/failure.ts'
import type { Composition } from '../../src/shared/composition/index.ts'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import type { Workplace } from '../fixtures/workplace.ts'
import type { Chance } from './chance.ts'
import type { Fault } from './ledger.ts'

/** A workstation to write at. */
interface Workstation {
  readonly name: string
  readonly work: Workplace
}

/** A draft open somewhere, as shown there. */
interface Editor {
  readonly at: Workstation
  /** The run of the application that has it open. */
  readonly run: Workplace['parts']
  readonly id: string
  readonly edition: number | undefined
  text: string
}

/** A draft that was put in the outbox, as it was at that moment. */
interface Sent {
  readonly at: Workstation
  readonly id: string
  readonly draft: string
  readonly text: string
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

/** Nobody adds to text longer than this. */
const MAX_TEXT_LENGTH = 120
const isShort = (text: string) => text.length <= MAX_TEXT_LENGTH
const WITHOUT_WORDS = new Set<string>()

export class People {
  readonly #chance: Chance
  readonly #workstations: readonly Workstation[]
  readonly #editors: Editor[] = []
  readonly #sent: Sent[] = []
  /** Each saved word: by whom, in which text, and the e-mail address if it names a person. */
  readonly #words = new Map<string, { name: string; text: string; email: string | undefined }>()
  /** Words discarded by someone who saw them. */
  readonly #thrown = new Set<string>()
  /** Words that a workstation lost by leaving the office. */
  readonly #leftBehind = new Set<string>()
  /**
   * People whom someone forgot, by their unique e-mail addresses; `#forgotten` has those whom nobody has written to
   * since.
   */
  readonly #everForgotten = new Set<string>()
  readonly #forgotten = new Map<string, Workstation>()
  #count = 0
  readonly #done = new Map<Deed, number>(DEEDS.map((deed) => [deed, 0]))

  /** @param workstations more may be added later. */
  constructor(chance: Chance, workstations: readonly Workstation[]) {
    this.#chance = chance
    this.#workstations = workstations
  }

  get count(): number {
    return this.#words.size
  }

  /** How often each deed was done; deeds that were refused or had nothing to act on don't count. */
  get done(): Record<string, number> {
    return Object.fromEntries(this.#done)
  }

  /** Does at most `limit` deeds, each by someone somewhere. */
  async act(limit: number): Promise<void> {
    for (let count = this.#chance.below(limit + 1); count > 0; count--) {
      const at = this.#oneOf(this.#workstations)
      // A short run, too, does everything there is something to do it with.
      const undone = this.#chance.below(3) === 0 ? this.#oneOf(DEEDS.filter((one) => !this.#done.has(one))) : undefined
      const deed = undone ?? this.#chance.oneOf(DEEDS)
      // A refusal is shown to the person, who keeps what is on the screen: it doesn't count as saved.
      const isDone = at && (await this.#do(at, deed).catch(refused))
      if (isDone) this.#done.set(deed, (this.#done.get(deed) ?? 0) + 1)
    }
  }

  /** Returns false if there was nothing to act on. */
  async #do(at: Workstation, deed: Deed): Promise<boolean> {
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
        // The person discards the other versions that they see.
        const discarded = versionsOf(at, id, true)
        const keptWords = wordsIn(textOf(at, id))
        await parts.sharedDrafts.resolveConflicts(id)
        return this.#throw(discarded, keptWords)
      }
      case 'send':
        return await this.#send(this.#oneOf(draftsOf(at, false)), [at])
      case 'both send':
        return await this.#send(this.#oneOf(draftsOf(at, false)), this.#workstations)
      case 'trash': {
        // Rarer than new drafts are.
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
        const discarded = [textOf(at, id), ...versionsOf(at, id)]
        parts.drafts.erase(id)
        return this.#throw(discarded)
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
        // On a future day, whenever this runs.
        const when = { at: Math.ceil(at.work.time.now / DAY) * DAY + DAY, minutes: 30 }
        if (one) parts.appointments.change({ id: one.id, ...when, about })
        else parts.appointments.add({ ...when, name: about, about })
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
        return this.#keep(LastName, at, one.Email)
      }
      case 'forget': {
        const one = this.#oneOf(peopleOf(at))
        if (!one) return false
        for (const each of peopleOf(at)) if (each.Email === one.Email) parts.people.forget(accountId, each)
        // Forgetting is final: it includes names given by someone who hasn't heard of it yet.
        this.#everForgotten.add(one.Email)
        if (parts.outbox.shared.accounts().has(accountId)) this.#forgotten.set(one.Email, at)
        return true
      }
    }
  }

  /**
   * Call when the server is restored: words that no workstation holds any more, because those that held them have left,
   * were only on the server.
   */
  onlyHere(): void {
    const held = this.#workstations.map((at) => wordsAt(at))
    for (const word of this.#leftBehind) if (!held.some((words) => words.has(word))) this.#thrown.add(word)
  }

  /**
   * Has a workstation leave the office, where the shared content stays. It may have told nobody whom it forgot, and it
   * brings the people it knows along when it joins again.
   */
  async leaves(name: string, leave: () => Promise<void>): Promise<void> {
    const at = this.#workstations.find((workstation) => workstation.name === name)
    if (!at) return
    const had = wordsAt(at)
    await leave()
    const has = wordsAt(at)
    for (const word of had) if (!has.has(word)) this.#leftBehind.add(word)
    const emails = new Set(peopleOf(at).map(({ Email }) => Email))
    for (const [email, by] of this.#forgotten) if (by === at || emails.has(email)) this.#forgotten.delete(email)
  }

  /** Opens a draft, or begins one. A draft that someone else is editing is taken over or left alone. */
  async #open(at: Workstation): Promise<boolean> {
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
      parts.sharedDrafts.editorOpened(made.id)
      this.#editors.push({ at, run: parts, id: made.id, edition: editionOf(at, made.id), text })
      return true
    }
    const isHeld = parts.sharedDrafts.withSyncState(parts.drafts.summary(id)).office?.editingBy !== undefined
    if (isHeld && this.#chance.below(2) === 0) return false
    if (isHeld) await parts.sharedDrafts.takeOver(id)
    // The computer may have been killed meanwhile.
    if (at.work.parts !== parts) return false
    parts.sharedDrafts.editorOpened(id)
    const editor = { at, run: parts, id, edition: editionOf(at, id), text: textOf(at, id) }
    this.#editors.push(editor)
    return this.#type(editor)
  }

  #goOn(): boolean {
    const editor = this.#oneOf(this.#editors)
    if (!editor || !isShort(editor.text)) return false
    // The kill closed it.
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
    await editor.run.sharedDrafts.editorClosed(editor.id)
    return true
  }

  /** Sends a draft from one workstation, or from all at the same moment. Nobody resends a draft that they can see was sent. */
  async #send(id: string | undefined, workstations: readonly Workstation[]): Promise<boolean> {
    if (id === undefined) return false
    const already = this.#sent.length
    const before = new Set(this.#sent.map(({ text }) => text))
    for (const at of workstations) {
      const { drafts, outbox, sharedDrafts } = at.work.parts
      try {
        const text = textOf(at, id)
        if (before.has(text)) continue
        const isTrashed = drafts.summary(id).trashedAt !== undefined
        if (isTrashed) continue
        sharedDrafts.assertSendable(id)
        const versions = versionsOf(at, id)
        const send = outbox.enqueue(id)
        await outbox.sendNow(send.id)
        this.#sent.push({ at, id: send.id, draft: id, text })
        // Its other versions go with it, as nobody wanted them.
        this.#throw(versions, wordsIn(text))
      } catch (error) {
        // It isn't there, or is already being sent: the application says so.
        refused(error)
      }
    }
    return this.#sent.length > already
  }

  /** Returns the text with the next word appended. */
  #longer(text: string): string {
    return `${text} w${++this.#count}e`
  }

  #keep(text: string, { name }: Workstation, email?: string): true {
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

  /** Closes all drafts, as in the evening. */
  async closeAll(): Promise<void> {
    while (this.#editors.length > 0) await this.#close(this.#editors[0]).catch(refused)
  }

  /** Describes who sent this text, for fault messages. */
  sendsOf(text: string): string {
    const its = this.#sent.filter((one) => one.text === text)
    const each = its.map(({ at, id, draft }) => {
      return `${id.slice(0, 8)} of draft ${draft.slice(0, 8)} from ${at.name}, ${stateOf({ at, id })}`
    })
    return `(${each.join('; ')})`
  }

  /**
   * Returns drafts that reached the service more than once: two sends of one, or one send twice.
   * @param arrived how often the service received each send, by its id.
   */
  doubled(arrived: ReadonlyMap<string, number>): Fault[] {
    const byDraft = Map.groupBy(
      this.#sent.filter(({ id }) => arrived.has(id)),
      ({ draft }) => draft
    )
    return [...byDraft].flatMap(([draft, sent]) => {
      const times = sent.reduce((sum, { id }) => sum + (arrived.get(id) ?? 0), 0)
      const each = sent.map(
        ({ id, at, text }) => `${text} ${arrived.get(id)} times by ${id.slice(0, 8)} from ${at.name}`
      )
      return times === 1
        ? []
        : [{ kind: 'doubled' as const, words: `draft ${draft.slice(0, 8)} arrived as ${each.join('; ')}` }]
    })
  }

  /**
   * Returns all faults; call once nothing is in flight any more.
   * @param arrived how often the service received each name.
   */
  faults(arrived: ReadonlyMap<string, number>): Fault[] {
    const held = this.#workstations.map((at) => wordsAt(at))
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

  /** Forgotten people who are still known. */
  #remembered(): Fault[] {
    const there = this.#workstations.flatMap((at) => peopleOf(at).map(({ Email }) => ({ Email, name: at.name })))
    return there
      .filter(({ Email }) => this.#forgotten.has(Email))
      .map(({ Email, name }) => ({ kind: 'wrong', words: `${Email} was forgotten, and is known at ${name}` }))
  }

  /** Differences between workstations. */
  #alike(): Fault[] {
    const shown = this.#workstations.map(shownAt)
    const [first = []] = shown
    return shown.flatMap((lines, index) => {
      const more = lines.filter((line) => !first.includes(line))
      const less = first.filter((line) => !lines.includes(line))
      const name = this.#workstations[index]?.name
      return more.length + less.length === 0
        ? []
        : [{ kind: 'wrong' as const, words: `${name} has ${more.join('; ')}, and lacks ${less.join('; ')}` }]
    })
  }
}

/** A refusal with an explanation (an AppFailure) isn't a fault; anything else that is thrown is. */
export function refused(error: unknown): false {
  if (error instanceof AppFailure) return false
  throw error
}

/** The state of a send, as its workstation shows it. */
const stateOf = ({ at, id }: Pick<Sent, 'at' | 'id'>) => rowsOf(at.work).find((row) => row.id === id)?.state

function faultOfSent({ at, id, text }: Sent, arrived: ReadonlyMap<string, number>): Fault[] {
  const state = stateOf({ at, id })
  const words = `${text} is ${state} at ${at.name}`
  if (state === 'sent' && !arrived.has(text)) return [{ kind: 'lost', words: `${words}, and the service has nothing` }]
  return state === 'ready' || state === 'sending' ? [{ kind: 'wrong', words: `${words} in the end` }] : []
}

const named = (Name: string): Composition => forms({ items: [form({ Name, Reference: 'draft' })] })
const nameIn = ({ items: [item] }: Composition) => (item && 'Name' in item ? item.Name : '')
const wordsIn = (text: string) => new Set(text.match(/w\d+e/g) ?? WITHOUT_WORDS)

/** All rows of a workstation's Outbox. */
export function rowsOf({ parts, accountId }: Workplace) {
  return parts.outbox.list([accountId], { show: 'all', offset: 0, limit: 10_000 }).rows
}

/** Drafts that people wrote here, not those of the packages that the test sends and takes back besides. */
function draftsOf(at: Workstation, trashed: boolean): string[] {
  const { rows } = at.work.parts.drafts.list([at.work.accountId], { trashed })
  return rows.filter(({ title }) => wordsIn(title).size > 0).map(({ id }) => id)
}
const textOf = ({ work }: Workstation, id: string) => nameIn(work.parts.drafts.get(id).composition)
const editionOf = ({ work }: Workstation, id: string) =>
  work.parts.sharedDrafts.withSyncState(work.parts.drafts.summary(id)).office?.edition

/**
 * The texts of all versions of a draft.
 * @param isOpen only of versions that nobody has decided on yet.
 */
function versionsOf({ work }: Workstation, id: string, isOpen = false): string[] {
  const { drafts } = work.parts
  const its = drafts.history(id).filter((version) => !isOpen || version.isOpen === true)
  return its.map((version) => nameIn(drafts.version(id, version.id)))
}

function presetsOf({ work }: Workstation): { id: string; name: string; text: string }[] {
  const { presets } = work.parts
  return presets.list(work.accountId).map(({ id, name }) => ({ id, name, text: nameIn(presets.get(id).composition) }))
}

function appointmentsOf({ work }: Workstation) {
  return work.parts.appointments.table.between(work.accountId, 0, Number.MAX_SAFE_INTEGER)
}

function peopleOf({ work }: Workstation) {
  return work.parts.people.list(work.accountId, { search: 'Person', offset: 0, limit: 10_000 }).rows
}

/** Every word that a person could read somewhere at a workstation. */
function wordsAt(at: Workstation): Set<string> {
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

/** Everything that has to be the same at every workstation. */
function shownAt(at: Workstation): string[] {
  const { parts, accountId } = at.work
  const drafts = [false, true].flatMap((trashed) =>
    draftsOf(at, trashed).map((id) => {
      const conflicts = versionsOf(at, id, true).sort().join(', ')
      return `draft ${id.slice(0, 8)}${trashed ? ' in the trash' : ''}: ${textOf(at, id)}${conflicts && ` beside ${conflicts}`}`
    })
  )
  const presets = presetsOf(at).map(({ name, text }) => `preset ${name}: ${text}`)
  const views = parts.views.list(accountId).map(({ name, query }) => `view ${name}: ${query.search}`)
  const appointments = appointmentsOf(at).map(({ name, about, state }) => `appointment ${name}: ${about}, ${state}`)
  const people = peopleOf(at).map(({ LastName, Email }) => `person ${LastName} <${Email}>`)
  return [...drafts, ...presets, ...views, ...appointments, ...people]
}
