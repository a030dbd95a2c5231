/**
 * State of a package being composed: its content, its problems and which of them may be shown yet. Also moves the focus
 * to the control at a path.
 */
import { tick } from 'svelte'
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { type ComposedItem, type Composition, settingsOf } from '../../../../shared/composition/composition.ts'
import { type Known, type Problem, problemsOf } from '../../../../shared/composition/problems.ts'
import type { FieldMessage } from '../../../../shared/contract/errors.ts'
import { pathOf, valueAt } from './field-paths.ts'

const PREFIX = 'at:'

export class Composing {
  #composition = $state<Composition>() as Composition
  #wasSendPressed = $state(false)
  readonly #touched = new SvelteSet<string>()
  /** The service's messages on single fields, with the value each one was about. */
  readonly #serviceMessages = new SvelteMap<string, { message: string; of: string | undefined }>()
  /** Those that still apply because the field has the value that the service saw, no matter who changed it in between. */
  readonly #currentMessages = $derived.by(() => {
    const current = [...this.#serviceMessages].filter(([at, { of }]) => of !== undefined && of === this.#textAt(at))
    return new Map(current.map(([at, { message }]) => [at, message]))
  })
  /**
   * Where ticking "face to face" turned on signing in this application: the key of an item with its own settings, ''
   * for the package.
   */
  readonly #embeddedByTick = new Set<string>()
  /** What is being loaded into the package; each resolves with whether it could be. */
  readonly #loading = new Set<Promise<boolean>>()
  readonly #now: () => number
  #facts = $state.raw<Known>({})
  readonly #problems = $derived.by(() => problemsOf(this.#composition, this.#now(), this.#facts))
  readonly #problemsByPath = $derived.by(() => Map.groupBy(this.#problems, (problem) => problem.at))

  constructor(composition: Composition, now: () => number) {
    this.#composition = composition
    this.#now = now
  }

  /** The content shown. Screens change its parts with `change`. */
  get composition(): Composition {
    return this.#composition
  }
  /** Milliseconds since 1970 UTC; updates as time passes. */
  get now(): number {
    return this.#now()
  }
  get isForms() {
    return this.#composition.kind === 'form-direct'
  }
  /**
   * Turns on signing in this application for a face-to-face signer. Without this it would have to be ticked separately;
   * and if it stayed on after the tick is removed, signers would get no invitation.
   */
  syncEmbedded(item: ComposedItem, isFaceToFace: boolean): void {
    const settings = settingsOf(this.#composition, item)
    if (isFaceToFace) {
      if (!settings.embedded) this.#embeddedByTick.add(item.own ? item.key : '')
      settings.embedded = true
    } else this.releaseEmbedded(item)
  }

  /**
   * Turns signing in this application off again if only a tick turned it on, and no signer needs it any more, after the
   * item or one of its signers was removed. Returns what undoes that.
   */
  releaseEmbedded(item: ComposedItem): (() => void) | undefined {
    const settings = settingsOf(this.#composition, item)
    const sharing = item.own ? [item] : this.#composition.items.filter(({ own }) => !own)
    const isNeeded = sharing.some(({ signers }) => signers.some((signer) => signer.faceToFace))
    if (isNeeded || !this.#embeddedByTick.delete(item.own ? item.key : '')) return undefined
    settings.embedded = false
    return () => this.syncEmbedded(item, true)
  }

  /** The problems to show: the service's messages on fields first, then our own. */
  get shown(): readonly Problem[] {
    const serviceProblems = [...this.#currentMessages].map(
      ([at, message]): Problem => ({ severity: 'error', at, message })
    )
    return [...serviceProblems, ...this.#problems]
  }
  /** The problems that prevent sending. */
  get errors(): readonly Problem[] {
    return this.#problems.filter((problem) => problem.severity === 'error')
  }
  /** Whether Send was pressed: from then on everything missing is shown. */
  get wasSendPressed() {
    return this.#wasSendPressed
  }

  /** Adds facts from outside the package as they become known; some problems can only be found with them. */
  addFacts(known: Known): void {
    this.#facts = { ...this.#facts, ...known }
  }

  /** Returns each signer role of the package's templates once, unassigned roles first. */
  get roles(): readonly string[] {
    const { items } = this.#composition
    const taken = new Set(items.flatMap(({ signers }) => signers.map((signer) => signer.SignerReference.trim())))
    const known = new Set(items.flatMap(({ Reference }) => this.#facts.templateRoles?.get(Reference.trim()) ?? []))
    return [...known].sort((one, other) => Number(taken.has(one)) - Number(taken.has(other)))
  }

  /** Registers a file that is being loaded into the package: it is sent only once that is there. */
  addLoading(loading: Promise<boolean>): void {
    this.#loading.add(loading)
    void loading.finally(() => this.#loading.delete(loading))
  }

  /** Resolves once nothing is being loaded any more, with whether all of it could be. */
  async whenLoaded(): Promise<boolean> {
    return (await Promise.all(this.#loading)).every(Boolean)
  }

  /** Replaces the content with another version. */
  replaceContent(composition: Composition): void {
    this.#composition = composition
  }

  /** Changes part of the package in place, for a component that was given that part. */
  change<Part extends object>(part: Part, to: Partial<Part>): void {
    Object.assign(part, to)
  }

  /** Returns a plain copy of the content. */
  snapshot(): Composition {
    return $state.snapshot(this.#composition)
  }

  /** Returns the id for the control at a path, and its messages once they may be shown. */
  control(at: string): { id: string; error: string | undefined; warning: string | undefined } {
    const isShown = this.#wasSendPressed || this.#touched.has(at)
    const problems = isShown ? this.#problemsByPath.get(at) : undefined
    return {
      id: idOf(at),
      error: this.#currentMessages.get(at) ?? problems?.find((problem) => problem.severity === 'error')?.message,
      warning: problems?.find((problem) => problem.severity === 'warning')?.message
    }
  }

  /** Records that the control with this id lost the focus. */
  markTouched(id: string): void {
    if (id.startsWith(PREFIX)) this.#touched.add(id.slice(PREFIX.length))
  }

  /** Handles a change to the control with this id: drops the service's messages on it or on the part it belongs to. */
  markChanged(id: string): void {
    if (!id.startsWith(PREFIX)) return
    const path = id.slice(PREFIX.length)
    for (const at of this.#serviceMessages.keys())
      if (path === at || path.startsWith(`${at}.`)) this.#serviceMessages.delete(at)
  }

  markSendPressed(): void {
    this.#wasSendPressed = true
  }

  /** Attaches the service's messages to their fields. Returns those without a field here. */
  setServiceMessages(messages: readonly FieldMessage[]): FieldMessage[] {
    this.#serviceMessages.clear()
    return messages.filter(({ field, message }) => {
      const at = pathOf(this.#composition, field)
      if (at) this.#serviceMessages.set(at, { message, of: this.#textAt(at) })
      return !at
    })
  }

  get serviceMessages(): ReadonlyMap<string, string> {
    return this.#currentMessages
  }

  /** Returns the value at a path, as text. */
  #textAt(at: string): string | undefined {
    return JSON.stringify(valueAt(this.#composition, at))
  }
}

/** Returns the id of the control at a path. */
export function idOf(at: string): string {
  return PREFIX + at
}

/** Callbacks of partly rendered lists, which render the given path before it is focused. */
export const renderCallbacks = new Set<(at: string) => void>()

/** Focuses the control at a path, opening any sections that contain it. Returns whether it exists. */
export async function focusField(at: string): Promise<boolean> {
  for (const render of renderCallbacks) render(at)
  return focusFirst(idOf(at))
}

/** Like `focusField`, by id. */
export async function focusFirst(id: string): Promise<boolean> {
  await tick()
  const target = document.getElementById(id)
  if (!target) return false
  for (let part = target.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true
  target.focus({ preventScroll: true })
  target.scrollIntoView?.({ block: 'center' })
  return true
}
