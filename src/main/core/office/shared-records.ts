/**
 * Sync of the records that an office's workstations share, such as presets and views. Each is also a row in this
 * workstation's own database, so everything works while the office's server is away. Local changes are sent once it is
 * available, and the others' changes are read in the order in which they happened. If two workstations changed the same
 * record, the first change to arrive stays at the office; this workstation merges its own with it, or keeps it as one
 * more record.
 */
import type { SharedSyncState } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import { isShared } from '../lib/shared-id.ts'
import { inSlices } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { AccountLanes, SYNC_THROTTLE } from './account-lanes.ts'
import { askOffice } from './ask-office.ts'
import { MAX_TRANSFER_BYTES } from './office-drafts.ts'
import { mergeLineages, RecordConflicts } from './record-conflicts.ts'
import { type KnownRecord, openRecordRows } from './record-rows.ts'
import type { OfficeRecords, PutResult, RecordChange, RecordKind, RecordToPut } from './records.ts'
import { mergeContents, type SharedKind } from './shared-kind.ts'

interface SharedRecordsDeps {
  db: Db
  time: Time
  newId: () => string
  kinds: readonly SharedKind[]
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** Called when records of a kind were changed by another workstation, or their sync state changed. */
  changed: (kind: RecordKind) => void
  /** Called with the reason why a query failed. */
  onError?: ((error: unknown) => void) | undefined
}

/** How many consecutive saves of a record may be unanswered. */
const MAX_PENDING = 50

export class SharedRecords {
  readonly #deps: SharedRecordsDeps
  readonly #lanes: AccountLanes
  readonly #conflicts: RecordConflicts
  #openRows: ReturnType<typeof openRecordRows> | undefined
  #office: OfficeRecords | undefined
  /** From the last connection, so that its answers are applied even if it has broken since. */
  #idFor: OfficeRecords['idFor'] | undefined
  #life = 0
  /** The kinds and accounts for which unreadable changes were read again in this run. */
  readonly #retriedUnread = new Set<string>()
  #name = ''

  constructor(deps: SharedRecordsDeps) {
    this.#deps = deps
    this.#lanes = new AccountLanes({
      time: deps.time,
      accounts: deps.accounts,
      sync: (accountId, officeId) => this.#sync(accountId, officeId)
    })
    this.#conflicts = new RecordConflicts({
      rows: () => this.#rows,
      time: deps.time,
      accounts: deps.accounts,
      idFor: (...record) => this.#idFor?.(...record),
      name: () => this.#name,
      syncAgain: (accountId) => this.#lanes.syncAgain(accountId)
    })
  }

  /** Opened on first use: a workstation without an office prepares no statements. */
  get #rows() {
    this.#openRows ??= openRecordRows(this.#deps.db)
    return this.#openRows
  }

  /** Called when the office's server is available, in a life of which everything is known here. */
  connect(office: OfficeRecords, life: number, name: string): void {
    this.#office = office
    this.#idFor = office.idFor
    this.#life = life
    this.#name = name
    this.#lanes.connect()
  }

  /** Called when the server is unavailable, or the workstation has left the office. */
  disconnect(): void {
    this.#office = undefined
    this.#lanes.disconnect()
  }

  syncSoon(accountId: string): void {
    this.#lanes.syncSoon(accountId)
  }

  /** This workstation's name in the office; '' until it is connected in this run. */
  get name(): string {
    return this.#name
  }

  localChanged(): void {
    this.#lanes.syncAllSoon(SYNC_THROTTLE)
  }

  /** Reads and sends everything outstanding. Rejects if the server can't be reached. */
  syncNow(accountId: string): Promise<void> {
    return this.#lanes.syncNow(accountId)
  }

  /** Resolves once no round is running, for example for an account that is no longer shared. */
  whenIdle(accountId: string): Promise<void> {
    return this.#lanes.whenIdle(accountId)
  }

  async close(): Promise<void> {
    this.#office = undefined
    await this.#lanes.close()
  }

  withSyncState<Row extends { id: string }>(
    kind: RecordKind,
    accountId: string,
    rows: Row[]
  ): (Row & { office?: SharedSyncState })[] {
    if (!this.#deps.accounts().has(accountId)) return rows
    const states = new Map(this.#rows.syncStates.all(kind, accountId).map((state) => [state.local, state]))
    return rows.map((row) => {
      const state = states.get(row.id)
      if (!state) return row
      return {
        ...row,
        office: { isUntold: state.isUntold === 1, ...(state.savedBy !== null && { by: state.savedBy }) }
      }
    })
  }

  /** Returns the other workstation that saved a record last; undefined if it was this one, synced or not. */
  savedBy(kind: RecordKind, accountId: string, id: string): string | undefined {
    const state = this.withSyncState(kind, accountId, [{ id }])[0]?.office
    return state?.isUntold ? undefined : state?.by
  }

  #ask<Answer>(question: (office: OfficeRecords) => Promise<Answer>): Promise<Answer> {
    return askOffice(this.#office, question, this.#deps.onError)
  }

  async #sync(accountId: string, officeId: string): Promise<void> {
    const { seqs, life } = await this.#ask((office) => office.state(officeId))
    // The server and this workstation must first tell each other what they know, which the next greeting does.
    if (life !== this.#life) return
    const failures: unknown[] = []
    const runStep = async (step: () => Promise<void>): Promise<void> => {
      await step().catch(async (error: unknown) => {
        failures.push(error)
        await this.#assertReachable(officeId)
      })
    }
    for (const kind of this.#deps.kinds) {
      // The account may have left the office while we waited for the server.
      if (!this.#isShared(accountId, officeId)) return
      const seq = seqs.get(kind.kind) ?? 0
      this.#rows.prepareSync(kind.kind, { accountId, officeId, life }, () => kind.localIds(accountId))
      const run = `${kind.kind} ${accountId}`
      // This version may be able to apply what an earlier one couldn't.
      if (!this.#retriedUnread.has(run)) this.#rows.rereadUnread(kind.kind, accountId)
      this.#retriedUnread.add(run)
      const cursor = this.#rows.cursor(kind.kind, accountId) ?? 0
      // Everything is read again in the server's next life.
      if (seq < cursor) return await this.#ask((office) => office.startNewLife(life))
      await runStep(() => this.#restoreToOffice(kind, accountId, officeId))
      if (seq !== cursor) await runStep(() => this.#pull(kind, accountId, officeId, seq))
      await runStep(() => this.#push(kind, accountId, officeId))
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Rejects if the server can't be reached. Otherwise only one item failed, and the others go on. */
  async #assertReachable(officeId: string): Promise<void> {
    await this.#ask((office) => office.state(officeId))
  }

  /** Whether the account is still shared under this id. */
  #isShared(accountId: string, officeId: string): boolean {
    return this.#deps.accounts().get(accountId) === officeId
  }

  async #pull(kind: SharedKind, accountId: string, officeId: string, upTo: number): Promise<void> {
    while (this.#isShared(accountId, officeId)) {
      const after = this.#rows.cursor(kind.kind, accountId) ?? 0
      const page = await this.#ask((office) => office.changes(kind.kind, officeId, after, kind.page, this.#life))
      const last = page.at(-1)
      let isNew = false
      const applying = function* (this: SharedRecords) {
        for (const change of page) {
          // By now the id may belong to another account, or to none.
          if (!this.#isShared(accountId, officeId)) return
          this.#assignIds(kind, accountId, officeId)
          isNew =
            this.#applyOrSkip(kind, accountId, change.id, () => this.#applyChange(kind, accountId, change)) || isNew
          yield
        }
      }.bind(this)
      await inSlices(applying(), (piece) => this.#deps.db.transaction(piece)())
      if (!this.#isShared(accountId, officeId)) return
      // The last number may have no change any more, because its record was erased since.
      this.#rows.setCursor(last?.seq ?? Math.max(after, upTo), kind.kind, accountId)
      if (isNew) this.#deps.changed(kind.kind)
      if (!last) return
    }
  }

  /** Gives new local records their office id. One that was deleted and created again takes over the row it had. */
  #assignIds(kind: SharedKind, accountId: string, officeId: string): void {
    const rows = this.#rows
    for (const row of rows.withoutId(kind.kind, accountId)) {
      const { local, number } = row
      const content = local === undefined ? undefined : kind.content(local)
      if (local === undefined || content === undefined) continue
      const identity = kind.identity?.(content)
      const id = identity === undefined ? local : this.#idFor?.(kind.kind, officeId, identity)
      if (id === undefined) continue
      const before = rows.byId(kind.kind, id)
      if (!before) rows.change(number, { id })
      // The final deletion is sent first, so that nothing deleted is merged into this.
      else if (before.isFinal) this.#lanes.syncAgain(accountId)
      else if (before.local === undefined) {
        rows.change(before.number, { editCount: before.editCount + 1, isGone: false })
        rows.bind(before, local)
      }
    }
  }

  /** Applies a record of the office. One that can't be written is left for another run, without blocking the others. */
  #applyOrSkip(kind: SharedKind, accountId: string, id: string, apply: () => boolean): boolean {
    try {
      return this.#deps.db.transaction(apply)()
    } catch (error) {
      this.#deps.onError?.(error)
      const { number } = this.#rows.byId(kind.kind, id) ?? this.#rows.add(kind.kind, accountId, id)
      this.#rows.change(number, { isUnread: true })
      return false
    }
  }

  /** Applies a change at the office. Returns whether anything is new here. */
  #applyChange(kind: SharedKind, accountId: string, change: RecordChange): boolean {
    const rows = this.#rows
    const before = rows.byId(kind.kind, change.id)
    if (before ? before.accountId !== accountId : change.isGone && !kind.identity) return false
    // A record of the office must not replace one of the organisation, of another account, or one that isn't known to
    // be shared.
    const isIdInUse = isShared(change) || kind.ownerOf(change.id) !== undefined
    if (before?.local === undefined && isIdInUse) return false
    const known = before ?? this.#addRow(kind, accountId, change)
    // The server still has to be told what it had before a restore, or hasn't answered a save. What is current comes
    // with that answer, or is read again after it.
    if (known.isRestorePending || isUnanswered(known)) return false
    if (change.isGone) return this.#conflicts.remove(kind, known, change)
    if (known.basedOn.includes(change.version)) {
      const { revision, content: base } = change
      const lineage = mergeLineages(known.lineage, change.lineage)
      // For a record that was deleted here, no base is kept.
      const keepsBase = kind.merge && known.local !== undefined && base !== undefined
      rows.change(known.number, { revision, lineage, isUnread: false, ...(keepsBase && { base }) })
      return false
    }
    // The final deletion is still to be sent.
    if (known.isFinal) return false
    return this.#conflicts.resolve(kind, known, change, known.base)
  }

  /** Adds a row for a record of the office. An identical local record that the office doesn't have becomes this one. */
  #addRow(kind: SharedKind, accountId: string, { id, content }: RecordChange): KnownRecord {
    const rows = this.#rows
    const known = rows.add(kind.kind, accountId, id)
    const read = content === undefined ? undefined : kind.read(content)
    const twin = read === undefined ? undefined : kind.findIdentical?.(accountId, read)
    const its = twin === undefined ? undefined : rows.byLocal(kind.kind, twin)
    if (twin === undefined || !its || its.basedOn.length > 0) return known
    rows.bind(known, twin)
    return { ...known, local: twin }
  }

  /** Sends local changes. */
  async #push(kind: SharedKind, accountId: string, officeId: string): Promise<void> {
    if (!this.#isShared(accountId, officeId)) return
    const { db } = this.#deps
    db.transaction(() => this.#assignIds(kind, accountId, officeId))()
    const next = (after: number) => this.#rows.toPush(kind.kind, accountId, after, kind.page)
    await this.#putAll(kind, accountId, officeId, next, (known, content) => {
      // A deletion of what the office never had isn't sent. If a record couldn't be read, the office does have it.
      if (content === undefined && known.basedOn.length === 0 && !known.isUnread)
        return void this.#rows.forget(known.number)
      return known.isRestorePending
        ? this.#changeSinceRestore(known)
        : { isFinal: known.isFinal, version: this.#versionOf(known), lineage: known.lineage }
    })
  }

  /** Tells a restored server what it had, because it may have lost it, or have an earlier state. */
  async #restoreToOffice(kind: SharedKind, accountId: string, officeId: string): Promise<void> {
    const next = (after: number) => this.#rows.toRestore(kind.kind, accountId, after, kind.page)
    await this.#putAll(kind, accountId, officeId, next, (known) => {
      const { isFinal, editCount, pushedEdits, revision, basedOn, lost, lineage } = known
      const [version] = basedOn
      if (editCount !== pushedEdits || version === undefined) return this.#changeSinceRestore(known)
      return lost ? { ...this.#changeSinceRestore(known), version } : { isFinal, version, revision, lineage }
    })
  }

  /**
   * Describes an unsynced local change as derived from the synced content, so that an even later content told by
   * another doesn't replace it.
   */
  #changeSinceRestore(known: KnownRecord) {
    const { isFinal, lost, lineage } = known
    const { revision, content: base } = lost ?? { revision: known.revision, content: known.base }
    return { isFinal, isChangedSince: true, version: this.#versionOf(known), revision: revision + 1, base, lineage }
  }

  /** A save without an answer is repeated under the same version. */
  #versionOf({ editCount, pendingEdits, basedOn }: KnownRecord): string {
    return (pendingEdits === editCount ? basedOn.at(-1) : undefined) ?? this.#deps.newId()
  }

  async #putAll(
    kind: SharedKind,
    accountId: string,
    officeId: string,
    next: (after: number) => KnownRecord[],
    describePut: (
      known: KnownRecord,
      content: unknown
    ) =>
      | (Pick<RecordToPut, 'isFinal' | 'revision' | 'isChangedSince' | 'base' | 'lineage'> & { version: string })
      | undefined
  ): Promise<void> {
    const rows = this.#rows
    const failures: unknown[] = []
    let after = 0
    for (let page = next(after); page.length > 0; page = next(after)) {
      const batch: { known: KnownRecord; put: RecordToPut }[] = []
      let bytes = 0
      const addToBatch = (known: KnownRecord) => {
        after = known.number
        const content = known.local === undefined ? undefined : kind.content(known.local)
        // A later version wrote it, or it is private.
        if (known.id === undefined || (known.local !== undefined && content === undefined)) return
        const until = content === undefined ? undefined : kind.expiresIn?.(content)
        // It has expired.
        if (until !== undefined && until <= 0)
          return rows.change(known.number, { pushedEdits: known.editCount, isRestorePending: false })
        const description = describePut(known, content)
        if (!description) return
        const { id, basedOn } = known
        const pending = basedOn.includes(description.version)
          ? basedOn
          : [...basedOn.slice(-MAX_PENDING), description.version]
        // Recorded before sending: if no answer comes, the office may have it.
        rows.change(known.number, { basedOn: pending, pendingEdits: known.editCount })
        batch.push({ known, put: { id, basedOn, content, ...description, ...defined({ until }) } })
        bytes += content === undefined ? 0 : JSON.stringify(content).length
      }
      this.#deps.db.transaction(() => {
        for (const known of page) if (bytes < MAX_TRANSFER_BYTES) addToBatch(known)
      })()
      const send = (some: typeof batch) =>
        this.#ask((office) =>
          office.put(
            kind.kind,
            officeId,
            some.map((one) => one.put),
            this.#life
          )
        )
      const applyAnswers = (some: typeof batch, answers: PutResult[]) => {
        if (!this.#isShared(accountId, officeId)) return
        const isNew = this.#deps.db.transaction(() =>
          some
            .map((one, index) =>
              this.#applyOrSkip(kind, accountId, one.put.id, () =>
                this.#applyAnswer(kind, one.known, one.put, answers[index])
              )
            )
            .includes(true)
        )()
        if (isNew) this.#deps.changed(kind.kind)
      }
      if (batch.length === 0) continue
      try {
        applyAnswers(batch, await send(batch))
      } catch {
        await this.#assertReachable(officeId)
        for (const one of batch) {
          await send([one]).then(
            (answers) => applyAnswers([one], answers),
            (error: unknown) => failures.push(error)
          )
        }
      }
      if (!this.#isShared(accountId, officeId)) return
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Applies the answer to a put. Returns whether anything is new here. */
  #applyAnswer(kind: SharedKind, sent: KnownRecord, put: RecordToPut, answer: PutResult | undefined): boolean {
    const rows = this.#rows
    const now = rows.find(sent.number)
    // Its row may have been deleted meanwhile, and its number given to another.
    if (now?.id !== put.id || answer?.id !== put.id) return false
    const { outcome, version, revision, lineage } = answer
    const { lost } = now
    const isChange = sent.editCount !== sent.pushedEdits
    // If only its base is told again, the current content doesn't change.
    const isLost = put.revision !== undefined && (isChange || !sent.lost)
    // It may have been deleted here while this was in flight.
    const pushedBase = now.local === undefined ? undefined : kind.merge && put.content
    const told = { lost: undefined, isRestorePending: false }
    const current = { ...told, basedOn: [version], revision, lineage }
    const change = (changes: Partial<KnownRecord>) => rows.change(sent.number, changes)
    if (outcome === 'other-account') return this.#assignNewId(now)
    if (outcome === 'older' || outcome === 'superseded') {
      const isFinal = now.isFinal && put.content !== undefined
      if (outcome === 'superseded')
        change({ ...told, basedOn: [put.version], pushedEdits: sent.editCount, base: pushedBase, isFinal })
      else
        change({ ...told, revision, base: lost ? mergeContents(kind, lost.content, now.base, lost.shared) : now.base })
      // The record may have been skipped. Unsynced changes are sent like any others.
      rows.setCursor(0, kind.kind, sent.accountId)
      this.#lanes.syncAgain(sent.accountId)
    }
    // It was finally deleted while this was in flight. The deletion is sent next, whatever others have.
    else if (outcome === 'conflict' && now.isFinal && put.content !== undefined) change(current)
    else if (outcome === 'conflict' && isLost) {
      const base = lost ? mergeContents(kind, answer.base, now.base, lost.shared) : answer.base
      return this.#conflicts.resolve(kind, now, answer, base, true)
    } else if (outcome === 'conflict') return this.#conflicts.resolve(kind, now, answer, now.base)
    else if (outcome === 'gone' && put.content !== undefined) return this.#conflicts.remove(kind, now, answer, isLost)
    else {
      change({
        ...current,
        pushedEdits: sent.editCount,
        isUnread: false,
        ...(outcome === 'gone'
          ? { isGone: now.editCount === sent.editCount, base: undefined, isFinal: false }
          : // Telling something again doesn't save anything.
            { base: pushedBase, ...(isChange && { savedBy: undefined }) })
      })
    }
    if (now.editCount !== sent.editCount) this.#lanes.syncAgain(sent.accountId)
    return true
  }

  /**
   * Gives the record a new id, because the office has its id under another account, for example after this account was
   * renamed.
   */
  #assignNewId({ number, accountId, local, editCount }: KnownRecord): boolean {
    if (local === undefined) this.#rows.forget(number)
    else {
      const fresh = {
        id: this.#deps.newId(),
        basedOn: [],
        revision: 0,
        lineage: [],
        isRestorePending: false,
        isUnread: false
      }
      this.#rows.change(number, { ...fresh, editCount: editCount + 1, pushedEdits: editCount })
      this.#lanes.syncAgain(accountId)
    }
    return false
  }
}

/**
 * Whether a save is unanswered: the office may have the content, and others may have built on it. Sending it again
 * resolves that.
 */
const isUnanswered = ({ basedOn, editCount, pushedEdits, pendingEdits, isUnread }: KnownRecord) =>
  !isUnread && editCount !== pushedEdits && pendingEdits === editCount && basedOn.length > 0
