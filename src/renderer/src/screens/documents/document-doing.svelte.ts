/** Which dialog of a document's page is open, and with what. One at a time, each made anew as it opens. */
import type { ActionView, SignerView } from '../../../../shared/contract/views.ts'

export type Asked =
  | { what: 'extend'; before?: ActionView }
  | { what: 'notary'; before?: ActionView }
  | { what: 'correct'; person: SignerView; before?: ActionView }
  | { what: 'remind'; person: SignerView }

export class Doing {
  #asked = $state.raw<Asked>()
  /** Grows with each dialog, so that each is made anew. */
  #turn = $state(0)
  isOpen = $state(false)

  get asked() {
    return this.#asked
  }
  get turn() {
    return this.#turn
  }

  ask(asked: Asked): void {
    this.#asked = asked
    this.#turn++
    this.isOpen = true
  }

  /** The dialog of an action that was refused, with what was asked for; undefined where it can't be asked otherwise. */
  askAnew(action: ActionView, people: readonly SignerView[]): (() => void) | undefined {
    const { request } = action
    if (request.kind === 'extend') return () => this.ask({ what: 'extend', before: action })
    if (request.kind === 'notary') return () => this.ask({ what: 'notary', before: action })
    if (request.kind !== 'correct') return undefined
    const person = people.find(({ index }) => index === request.signers[0]?.index)
    return person?.editable ? () => this.ask({ what: 'correct', person, before: action }) : undefined
  }
}
