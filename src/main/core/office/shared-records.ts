/**
 * Presets, views and the like that the workstations of an office have in common. Each is a row of this workstation's own database, so
 * that all works as ever while the office's server is away; what was changed here goes over once it is there, and what others changed is
 * read in the order in which it happened. Of two who changed the same one, the newer stays at the office: this workstation puts the two together, or
 * keeps its own beside it as one more.
 */
import { isDeepStrictEqual } from 'node:util'
import type { SharedMark } from '../../../shared/contract/index.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { defined } from '../lib/objects.ts'
import { isShared } from '../lib/shared-id.ts'
import { inSlices } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { AccountLanes, STEADY } from './account-lanes.ts'
import { type KnownRecord, type LostContent, openRecordRows } from './record-rows.ts'
import type { OfficeRecords, RecordChange, RecordKind, RecordPut, RecordToPut } from './records.ts'
import { askOffice } from './sends.ts'
import { MOST_BYTES } from './things.ts'

/** How one kind of them stands in the database. A content is plain JSON; what is written fires the triggers that count changes. */
// biome-ignore lint/suspicious/noExplicitAny: each kind takes what it has read itself.
export interface SharedKind<Content = any> {
  readonly kind: RecordKind
  /** So many go over at a time, each way. */
  readonly page: number
  /** Those of an account, by their ids here. */
  locals: (accountId: string) => string[]
  /** Whose it is, the organisation's among them. */
  ownerOf: (local: string) => string | undefined
  /** Undefined where it isn't there, this version can't read it, or it isn't for others. */
  content: (local: string) => Content | undefined
  /** Undefined where it is of no form that this version knows. */
  read: (content: unknown) => Content | undefined
  /** Writes one of the office's, over what is here where `local` is given; answers its id here. @param id the office's of it. */
  write: (accountId: string, content: Content, id: string, local: string | undefined) => string
  erase: (local: string) => void
  /** By what it is the same at every workstation; undefined where it is by its own id. */
  identity?: (content: Content) => string | undefined
  /** Of two contents that both go on from `base` the one that counts; undefined where they become two. */
  together?: (mine: Content, theirs: Content, base: Content | undefined) => Content | undefined
  /** What counts in place of theirs where nothing was changed here since the office had it; undefined where theirs does. */
  kept?: (mine: Content, theirs: Content) => Content | undefined
  /** One of an account's own that is just like it, and becomes the same where the office has none of it. */
  twin?: (accountId: string, content: Content) => string | undefined
  /** Writes it as one more. @param beside the other's workstation and when it saved that, where the other is there. */
  another?: (accountId: string, content: Content, beside: string | undefined) => void
  /** In how many milliseconds nobody needs it any more; undefined where that isn't known. */
  until?: (content: Content) => number | undefined
}

interface SharedRecordsDeps {
  db: Db
  time: Time
  newId: () => string
  kinds: readonly SharedKind[]
  /** The accounts that are shared, by the office's ids. */
  accounts: () => ReadonlyMap<string, string>
  /** Some of a kind are other than before, by another workstation, or stand otherwise with the office. */
  changed: (kind: RecordKind) => void
  /** Called with why the office's server could not be asked. */
  trouble?: ((error: unknown) => void) | undefined
}

/** So many saves of one can be without an answer, one after the other. */
const MOST_PENDING = 50

/** What counts at the office. */
type Theirs = Pick<RecordPut, 'version' | 'round' | 'by' | 'lineage' | 'content'>

export class SharedRecords {
  readonly #deps: SharedRecordsDeps
  readonly #lanes: AccountLanes
  #openRows: ReturnType<typeof openRecordRows> | undefined
  #office: OfficeRecords | undefined
  /** As of the office that was there last: what it answered is taken also where the line broke since. */
  #tag: OfficeRecords['tag'] | undefined
  #life = 0
  /** Of which kinds and accounts what couldn't be taken was read once more in this run. */
  readonly #readAgain = new Set<string>()
  #name = ''

  constructor(deps: SharedRecordsDeps) {
    this.#deps = deps
    this.#lanes = new AccountLanes({
      ...{ time: deps.time, accounts: deps.accounts },
      sync: (accountId, officeId) => this.#sync(accountId, officeId)
    })
  }

  /** A workstation of no office prepares no statements. */
  get #rows() {
    this.#openRows ??= openRecordRows(this.#deps.db)
    return this.#openRows
  }

  /** The office's server is there, in a life of which all is known here. */
  connect(office: OfficeRecords, life: number, name: string): void {
    this.#office = office
    this.#tag = office.tag
    this.#life = life
    this.#name = name
    this.#lanes.connect()
  }

  /** It isn't, or not ours any more. */
  disconnect(): void {
    this.#office = undefined
    this.#lanes.disconnect()
  }

  soon(accountId: string): void {
    this.#lanes.soon(accountId)
  }

  /** This workstation's name in the office; '' before it was connected in this run. */
  get name(): string {
    return this.#name
  }

  /** Something was done to them here. */
  changedHere(): void {
    this.#lanes.allSoon(STEADY)
  }

  /** Reads and gives all that there is. Rejects where the server can't be reached. */
  settled(accountId: string): Promise<void> {
    return this.#lanes.fresh(accountId)
  }

  /** Resolves once no round is under way, as of an account that is shared no more. */
  ended(accountId: string): Promise<void> {
    return this.#lanes.ended(accountId)
  }

  async close(): Promise<void> {
    this.#office = undefined
    await this.#lanes.close()
  }

  /** Those of an account with how they stand with the office, for the screens. */
  marked<Row extends { id: string }>(
    kind: RecordKind,
    accountId: string,
    rows: Row[]
  ): (Row & { office?: SharedMark })[] {
    if (!this.#deps.accounts().has(accountId)) return rows
    const marks = new Map(this.#rows.marks.all(kind, accountId).map((mark) => [mark.local, mark]))
    return rows.map((row) => {
      const mark = marks.get(row.id)
      if (!mark) return row
      return { ...row, office: { isUntold: mark.isUntold === 1, ...(mark.savedBy !== null && { by: mark.savedBy }) } }
    })
  }

  /** Which other workstation saved one last; undefined where this one did, told or not. */
  savedBy(kind: RecordKind, accountId: string, id: string): string | undefined {
    const mark = this.marked(kind, accountId, [{ id }])[0]?.office
    return mark?.isUntold ? undefined : mark?.by
  }

  #asked<Answer>(question: (office: OfficeRecords) => Promise<Answer>): Promise<Answer> {
    return askOffice(this.#office, question, this.#deps.trouble)
  }

  async #sync(accountId: string, officeId: string): Promise<void> {
    const { revs, life } = await this.#asked((office) => office.state(officeId))
    // What it has counts once both have told each other what they know, which the next greeting brings about.
    if (life !== this.#life) return
    const failures: unknown[] = []
    const unheld = async (step: () => Promise<void>): Promise<void> => {
      await step().catch(async (error: unknown) => {
        failures.push(error)
        await this.#expectThere(officeId)
      })
    }
    for (const kind of this.#deps.kinds) {
      // While the server was asked the account may have left.
      if (!this.#isShared(accountId, officeId)) return
      const rev = revs.get(kind.kind) ?? 0
      this.#rows.begin(kind.kind, { accountId, officeId, life }, () => kind.locals(accountId))
      const run = `${kind.kind} ${accountId}`
      // This version may be another than the one that couldn't take it.
      if (!this.#readAgain.has(run)) this.#rows.readAgain(kind.kind, accountId)
      this.#readAgain.add(run)
      const cursor = this.#rows.cursor(kind.kind, accountId) ?? 0
      // All of it is read again in its next life.
      if (rev < cursor) return await this.#asked((office) => office.setBack(life))
      await unheld(() => this.#tellAgain(kind, accountId, officeId))
      if (rev !== cursor) await unheld(() => this.#read(kind, accountId, officeId, rev))
      await unheld(() => this.#give(kind, accountId, officeId))
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Where the server can be asked, what failed is of one thing alone: the others go on. Rejects where it can't. */
  async #expectThere(officeId: string): Promise<void> {
    await this.#asked((office) => office.state(officeId))
  }

  /** Whether it is still this account's. */
  #isShared(accountId: string, officeId: string): boolean {
    return this.#deps.accounts().get(accountId) === officeId
  }

  async #read(kind: SharedKind, accountId: string, officeId: string, upTo: number): Promise<void> {
    while (this.#isShared(accountId, officeId)) {
      const after = this.#rows.cursor(kind.kind, accountId) ?? 0
      const page = await this.#asked((office) => office.changes(kind.kind, officeId, after, kind.page, this.#life))
      const last = page.at(-1)
      let isNew = false
      const taking = function* (this: SharedRecords) {
        for (const change of page) {
          // Another account's it is by now, or nobody's.
          if (!this.#isShared(accountId, officeId)) return
          this.#identify(kind, accountId, officeId)
          isNew = this.#orUnread(kind, accountId, change.id, () => this.#take(kind, accountId, change)) || isNew
          yield
        }
      }.bind(this)
      await inSlices(taking(), (piece) => this.#deps.db.transaction(piece)())
      if (!this.#isShared(accountId, officeId)) return
      // The last number may be of nothing, as of what has been erased since.
      this.#rows.readTo(last?.rev ?? Math.max(after, upTo), kind.kind, accountId)
      if (isNew) this.#deps.changed(kind.kind)
      if (!last) return
    }
  }

  /** What was added here gets its id at the office; what is there again is what it was before. */
  #identify(kind: SharedKind, accountId: string, officeId: string): void {
    const rows = this.#rows
    for (const row of rows.unnamed(kind.kind, accountId)) {
      const { local, number } = row
      const content = local === undefined ? undefined : kind.content(local)
      if (local === undefined || content === undefined) continue
      const what = kind.identity?.(content)
      const id = what === undefined ? local : this.#tag?.(kind.kind, officeId, what)
      if (id === undefined) continue
      const before = rows.byId(kind.kind, id)
      if (!before) rows.change(number, { id })
      // That it was erased for all is told first: nothing of what was erased is put together with this.
      else if (before.isFinal) this.#lanes.want(accountId)
      else if (before.local === undefined) {
        rows.change(before.number, { edits: before.edits + 1, isGone: false })
        rows.bind(before, local)
      }
    }
  }

  /** Takes one of the office's. What can't be written is left for another run, and holds none of the others back. */
  #orUnread(kind: SharedKind, accountId: string, id: string, take: () => boolean): boolean {
    try {
      return this.#deps.db.transaction(take)()
    } catch (error) {
      this.#deps.trouble?.(error)
      const { number } = this.#rows.byId(kind.kind, id) ?? this.#rows.add(kind.kind, accountId, id)
      this.#rows.change(number, { isUnread: true })
      return false
    }
  }

  /** Writes down what the office says of one; whether something of it is new here. */
  #take(kind: SharedKind, accountId: string, change: RecordChange): boolean {
    const rows = this.#rows
    const before = rows.byId(kind.kind, change.id)
    if (before ? before.accountId !== accountId : change.isGone && !kind.identity) return false
    // Nothing takes the place of what is the organisation's, another account's, or not known as the office's.
    const isTaken = isShared(change) || kind.ownerOf(change.id) !== undefined
    if (before?.local === undefined && isTaken) return false
    const known = before ?? this.#add(kind, accountId, change)
    // What it was before the server was put back is still to be told, or whether it counted was never answered. What counts now is answered to
    // that, or read again after it.
    if (known.isToKnow || isUnanswered(known)) return false
    if (change.isGone) return this.#ended(kind, known, change)
    if (known.basedOn.includes(change.version)) {
      const { round, content: base } = change
      const lineage = bothLineages(known.lineage, change.lineage)
      // Of what is no more here nothing is kept.
      const isHere = kind.together && known.local !== undefined && base !== undefined
      rows.change(known.number, { round, lineage, isUnread: false, ...(isHere && { base }) })
      return false
    }
    // That it was erased for all is still to be told.
    if (known.isFinal) return false
    return this.#meets(kind, known, change, known.base)
  }

  /** Notes one of the office's down. One here that is just like it, and that the office doesn't have, is the same from here on. */
  #add(kind: SharedKind, accountId: string, { id, content }: RecordChange): KnownRecord {
    const rows = this.#rows
    const known = rows.add(kind.kind, accountId, id)
    const read = content === undefined ? undefined : kind.read(content)
    const twin = read === undefined ? undefined : kind.twin?.(accountId, read)
    const its = twin === undefined ? undefined : rows.byLocal(kind.kind, twin)
    if (twin === undefined || !its || its.basedOn.length > 0) return known
    rows.bind(known, twin)
    return { ...known, local: twin }
  }

  /**
   * Another content counts than the one that what is here goes on from.
   * @param base what both go on from.
   * @param isLost the office had what is here, before it was put back, and doesn't any more.
   */
  #meets(
    kind: SharedKind,
    known: KnownRecord,
    { version, round, by, lineage, content }: Theirs,
    base: unknown,
    isLost = false
  ): boolean {
    const rows = this.#rows
    const { accountId, local, number } = known
    const theirs = content === undefined ? undefined : kind.read(content)
    const mine = local === undefined ? undefined : kind.content(local)
    if (theirs === undefined || !this.#isOf(kind, known, theirs) || (local !== undefined && mine === undefined)) {
      // One of them was altered on the server, written by a later version, or isn't for others: what is here stays here.
      rows.change(number, { isUnread: true })
      return false
    }
    // What is over here, as whom retention erased, doesn't come back because another still has it.
    if (local === undefined && (kind.until?.(theirs) ?? 1) <= 0) {
      rows.forget(number)
      return false
    }
    const lost = isLost ? lostOf(known, base) : known.lost
    const seen = {
      ...{ basedOn: [version], round, isGone: false, lost, isToKnow: lost !== undefined, isUnread: false },
      lineage: lineageOf(known, lost, lineage),
      ...{ base: kind.together && content, savedBy: by === this.#name ? undefined : by }
    }
    if (mine !== undefined && isSame(mine, theirs)) {
      rows.follow(number, seen)
      return known.savedBy !== seen.savedBy
    }
    if (mine !== undefined) {
      const isNewToOffice = isLost || known.edits !== known.given
      const both = isNewToOffice ? kind.together?.(mine, theirs, readBy(kind, base)) : kind.kept?.(mine, theirs)
      if (both !== undefined) {
        kind.write(accountId, both, known.id ?? '', local)
        // It goes over as what goes on from theirs, under another number than what was asked for last: that was another content.
        if (isSame(both, theirs)) rows.follow(number, seen)
        else rows.change(number, { ...seen, edits: known.edits + 1, savedBy: undefined })
        this.#lanes.want(accountId)
        return true
      }
      if (isNewToOffice) {
        kind.another?.(accountId, mine, `${this.#name}, ${this.#moment()}`)
        this.#lanes.want(accountId)
      }
    }
    rows.bind(known, kind.write(accountId, theirs, known.id ?? '', local))
    rows.follow(number, seen)
    return true
  }

  /** What is told apart by what it is has the id that comes of it: nothing else is put in its place. */
  #isOf(kind: SharedKind, { id, accountId }: KnownRecord, content: unknown): boolean {
    const officeId = this.#deps.accounts().get(accountId)
    const what = kind.identity?.(content)
    return what === undefined || officeId === undefined || this.#tag?.(kind.kind, officeId, what) === id
  }

  /**
   * It is no more: neither is it here, but for what was changed here and not told, which goes on as another.
   * @param isLost as of {@link #meets}.
   */
  #ended(
    kind: SharedKind,
    known: KnownRecord,
    { version, round, lineage }: Pick<Theirs, 'version' | 'round' | 'lineage'>,
    isLost = false
  ): boolean {
    const { accountId, local, number } = known
    const mine = local === undefined ? undefined : kind.content(local)
    if (local !== undefined && mine === undefined) {
      // What can't be read, or isn't for others, is this workstation's own from here on.
      this.#rows.forget(number)
      return true
    }
    if (local !== undefined) kind.erase(local)
    let { lost } = known
    if (mine !== undefined && (isLost || known.edits !== known.given) && kind.another) {
      kind.another(accountId, mine, undefined)
      if (isLost) lost = lostOf(known, undefined)
      this.#lanes.want(accountId)
    }
    const none = { isGone: true, base: undefined, savedBy: undefined }
    this.#rows.follow(number, {
      ...{ basedOn: [version], round, ...none, lost, isToKnow: lost !== undefined },
      lineage: lineageOf(known, lost, lineage)
    })
    return local !== undefined
  }

  /** What was done here goes over. */
  async #give(kind: SharedKind, accountId: string, officeId: string): Promise<void> {
    if (!this.#isShared(accountId, officeId)) return
    const { db } = this.#deps
    db.transaction(() => this.#identify(kind, accountId, officeId))()
    const next = (after: number) => this.#rows.toGive(kind.kind, accountId, after, kind.page)
    await this.#putAll(kind, accountId, officeId, next, (known, content) => {
      // What the office never had is nothing to it. Of what couldn't be read it has something.
      if (content === undefined && known.basedOn.length === 0 && !known.isUnread)
        return void this.#rows.forget(known.number)
      return known.isToKnow
        ? this.#again(known)
        : { isFinal: known.isFinal, version: this.#versionOf(known), lineage: known.lineage }
    })
  }

  /** A server that was put back may have lost it, or have it as it was earlier. */
  async #tellAgain(kind: SharedKind, accountId: string, officeId: string): Promise<void> {
    const next = (after: number) => this.#rows.toKnow(kind.kind, accountId, after, kind.page)
    await this.#putAll(kind, accountId, officeId, next, (known) => {
      const { isFinal, edits, given, round, basedOn, lost, lineage } = known
      const [version] = basedOn
      if (edits !== given || version === undefined) return this.#again(known)
      return lost ? { ...this.#again(known), version } : { isFinal, version, round, lineage }
    })
  }

  /** What wasn't told yet goes on from what was: what another tells as later than that doesn't take its place. */
  #again(known: KnownRecord) {
    const { isFinal, lost, lineage } = known
    const { round, content: base } = lost ?? { round: known.round, content: known.base }
    return { isFinal, isChangedSince: true, version: this.#versionOf(known), round: round + 1, base, lineage }
  }

  /** What was given and had no answer is the same save once more. */
  #versionOf({ edits, asked, basedOn }: KnownRecord): string {
    return (asked === edits ? basedOn.at(-1) : undefined) ?? this.#deps.newId()
  }

  async #putAll(
    kind: SharedKind,
    accountId: string,
    officeId: string,
    next: (after: number) => KnownRecord[],
    how: (
      known: KnownRecord,
      content: unknown
    ) =>
      | (Pick<RecordToPut, 'isFinal' | 'round' | 'isChangedSince' | 'base' | 'lineage'> & { version: string })
      | undefined
  ): Promise<void> {
    const rows = this.#rows
    const failures: unknown[] = []
    let after = 0
    for (let page = next(after); page.length > 0; page = next(after)) {
      const given: { known: KnownRecord; put: RecordToPut }[] = []
      let bytes = 0
      const ask = (known: KnownRecord) => {
        after = known.number
        const content = known.local === undefined ? undefined : kind.content(known.local)
        // A later version wrote it, or it isn't for others.
        if (known.id === undefined || (known.local !== undefined && content === undefined)) return
        const until = content === undefined ? undefined : kind.until?.(content)
        // Nobody needs it any more.
        if (until !== undefined && until <= 0) return rows.change(known.number, { given: known.edits, isToKnow: false })
        const asked = how(known, content)
        if (!asked) return
        const { id, basedOn } = known
        const pending = basedOn.includes(asked.version) ? basedOn : [...basedOn.slice(-MOST_PENDING), asked.version]
        // Where no answer comes, it is known that the office may have it.
        rows.change(known.number, { basedOn: pending, asked: known.edits })
        given.push({ known, put: { id, basedOn, content, ...asked, ...defined({ until }) } })
        bytes += content === undefined ? 0 : JSON.stringify(content).length
      }
      this.#deps.db.transaction(() => {
        for (const known of page) if (bytes < MOST_BYTES) ask(known)
      })()
      const put = (some: typeof given) =>
        this.#asked((office) =>
          office.put(
            kind.kind,
            officeId,
            some.map((one) => one.put),
            this.#life
          )
        )
      const take = (some: typeof given, answers: RecordPut[]) => {
        if (!this.#isShared(accountId, officeId)) return
        const isNew = this.#deps.db.transaction(() =>
          some
            .map((one, index) =>
              this.#orUnread(kind, accountId, one.put.id, () => this.#told(kind, one.known, one.put, answers[index]))
            )
            .includes(true)
        )()
        if (isNew) this.#deps.changed(kind.kind)
      }
      if (given.length === 0) continue
      try {
        take(given, await put(given))
      } catch {
        await this.#expectThere(officeId)
        for (const one of given) {
          await put([one]).then(
            (answers) => take([one], answers),
            (error: unknown) => failures.push(error)
          )
        }
      }
      if (!this.#isShared(accountId, officeId)) return
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Writes down what came of it; whether something is new here. */
  #told(kind: SharedKind, sent: KnownRecord, put: RecordToPut, answer: RecordPut | undefined): boolean {
    const rows = this.#rows
    const now = rows.find(sent.number)
    if (!now || answer?.id !== put.id) return false
    const { outcome, version, round, lineage } = answer
    const { lost } = now
    const isChange = sent.edits !== sent.given
    // What is told for its base alone is no change of what counts.
    const isLost = put.round !== undefined && (isChange || !sent.lost)
    if (outcome === 'elsewhere') return this.#elsewhere(now)
    if (outcome === 'older') {
      const base = lost ? putTogether(kind, lost.content, now.base, lost.shared) : now.base
      rows.change(sent.number, { round, base, lost: undefined, isToKnow: false })
      // It may have been passed over. What wasn't told yet goes as any change does.
      rows.readTo(0, kind.kind, sent.accountId)
      this.#lanes.want(sent.accountId)
    } else if (outcome === 'over') {
      const base = now.local === undefined ? undefined : kind.together && put.content
      const isFinal = now.isFinal && put.content !== undefined
      rows.change(sent.number, {
        basedOn: [put.version],
        given: sent.edits,
        base,
        isFinal,
        lost: undefined,
        isToKnow: false
      })
      rows.readTo(0, kind.kind, sent.accountId)
      this.#lanes.want(sent.accountId)
    }
    // It was erased for all while this was on its way: that is told next, whatever the others have.
    else if (outcome === 'beside' && now.isFinal && put.content !== undefined)
      rows.change(sent.number, { basedOn: [version], round, lineage, lost: undefined, isToKnow: false })
    else if (outcome === 'beside' && isLost) {
      const base = lost ? putTogether(kind, answer.base, now.base, lost.shared) : answer.base
      return this.#meets(kind, now, answer, base, true)
    } else if (outcome === 'beside') return this.#meets(kind, now, answer, now.base)
    else if (outcome === 'gone' && put.content !== undefined) return this.#ended(kind, now, answer, isLost)
    else if (outcome === 'gone') {
      rows.change(sent.number, {
        ...{ basedOn: [version], round, lineage },
        given: sent.edits,
        isGone: now.edits === sent.edits,
        base: undefined,
        isFinal: false,
        lost: undefined,
        isToKnow: false,
        isUnread: false
      })
    } else {
      // It may have been erased here while it was on its way.
      const base = now.local === undefined ? undefined : kind.together && put.content
      rows.change(sent.number, {
        ...{ basedOn: [version], round, lineage },
        given: sent.edits,
        base,
        // Of what is told once more nothing was saved.
        ...(isChange && { savedBy: undefined }),
        lost: undefined,
        isToKnow: false,
        isUnread: false
      })
    }
    if (now.edits !== sent.edits) this.#lanes.want(sent.accountId)
    return true
  }

  /** The office has its id under another account, as where this one had another name before: it gets another there. */
  #elsewhere({ number, accountId, local, edits }: KnownRecord): boolean {
    if (local === undefined) this.#rows.forget(number)
    else {
      const fresh = { id: this.#deps.newId(), basedOn: [], round: 0, lineage: [], isToKnow: false, isUnread: false }
      this.#rows.change(number, { ...fresh, edits: edits + 1, given: edits })
      this.#lanes.want(accountId)
    }
    return false
  }

  /** Now, with its day. */
  #moment(): string {
    const { now, zone } = this.#deps.time
    return clockTextOf(now(), zone(), 0)
  }
}

/** @param shared what of it is in what counts at the server, too. */
function lostOf({ lost, round, base }: KnownRecord, shared: unknown): LostContent {
  return { ...(lost ?? { round, content: base }), shared }
}

/** What is in one of the office's; while the server isn't told yet what it lost, that is in it too, or kept beside it. */
const lineageOf = (known: KnownRecord, lost: LostContent | undefined, theirs: readonly string[]) =>
  lost === undefined ? theirs : bothLineages(known.lineage, theirs)

/** As many as the server keeps, and the content's own. */
const MOST_MARKS = 49

/** The contents that are in one of these or the other: the last of them, as what has both has them. */
function bothLineages(one: readonly string[], other: readonly string[]): readonly string[] {
  const marks = [...new Set([...one, ...other])]
  return marks.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).slice(-MOST_MARKS)
}

/** The office may have what is here, and another may have gone on from it: putting it there once more says so. */
const isUnanswered = ({ basedOn, edits, given, asked, isUnread }: KnownRecord) =>
  !isUnread && edits !== given && asked === edits && basedOn.length > 1

const readBy = (kind: SharedKind, content: unknown) => (content === undefined ? undefined : kind.read(content))

/** Of two contents that both go on from `base` what has both: that is what any two have in common that go on from both of them. */
function putTogether(kind: SharedKind, one: unknown, other: unknown, base: unknown): unknown {
  const [its, others] = [readBy(kind, one), readBy(kind, other)]
  if (its === undefined || others === undefined) return others ?? its
  return kind.together?.(its, others, readBy(kind, base))
}

/** As JSON has them: nothing is as good as not there. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
}
