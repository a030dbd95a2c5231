/**
 * A choice that is shown from when it is made until the answer says what applies: its control goes back if it wasn't
 * saved.
 */
export class Pending<Value> {
  #shown = $state.raw<{ readonly value: Value }>()
  #lastSave: Promise<unknown> = Promise.resolve()

  /** The choice made last; undefined if what was saved applies. */
  get value(): Value | undefined {
    return this.#shown?.value
  }

  /** Shows a choice. Returns a function that ends this, unless another has been made since. */
  show(value: Value): () => void {
    const shown = { value }
    this.#shown = shown
    return () => {
      if (this.#shown === shown) this.#shown = undefined
    }
  }

  /** Shows a choice while it is saved: after the choices before it, so that the last one wins. */
  save<Answer>(value: Value, save: () => Promise<Answer>): Promise<Answer> {
    const settle = this.show(value)
    const saving = this.#lastSave.then(save).finally(settle)
    this.#lastSave = saving.catch(() => undefined)
    return saving
  }
}
