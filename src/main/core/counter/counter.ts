/**
 * One signer's turn at the counter: from the handover to what the service says became of it. The page itself never
 * decides that a document is signed, and the signing link never leaves this process.
 */
import { RETURN_ADDRESS } from '../../../shared/composition/request.ts'
import type { AppError, CounterEntry, CounterOutcome, CounterState } from '../../../shared/contract/index.ts'
import { fullName } from '../../../shared/model/index.ts'
import type { MirroredDocument } from '../documents/desk-questions.ts'
import { canSignNow, stateOf } from '../documents/progress.ts'
import { fail } from '../failure.ts'
import {
  type SigningAccount,
  type SigningAddress,
  signingAddress,
  signingAddressSentence
} from '../policy/signing-address.ts'
import type { OpenSigningView, SigningView } from './signing-view.ts'

/** How many refused attempts of a page are remembered for our frame to tell of. */
const REMEMBERED = 20

export interface CounterEffects {
  /** Who can sign at the counter, as last known, next due first. */
  waitingHere: () => Promise<CounterEntry[]>
  documentOf: (reference: string) => Promise<MirroredDocument | undefined>
  /** Reads the folders from the service now. */
  refresh: () => Promise<void>
  /** The chosen account's kind and address. */
  account: () => SigningAccount
  /** Where this document's signer is sent after signing, beside RETURN_ADDRESS, where it is known. */
  returnAddressOf: (reference: string) => string | undefined
  openView: OpenSigningView
  /** The size that people asked for in the settings; it holds for the signing page too. */
  zoom: () => number
  describe: (error: unknown) => AppError
  clock: () => number
  newId: () => string
  changed: (id: string) => void
}

interface Turn {
  state: CounterState
  signer: number
  address: Extract<SigningAddress, { ok: true }>
  view?: SigningView
}

export type Counter = ReturnType<typeof openCounter>

export function openCounter(effects: CounterEffects) {
  let turn: Turn | undefined
  /** Whether what became of the last turn is still before the signer. */
  let isOutcomeShown = false

  function current(id: string): Turn {
    return turn?.state.id === id ? turn : fail('gone', 'This signing is over.')
  }

  function become(of: Turn, state: Partial<CounterState>): CounterState {
    of.state = { ...of.state, ...state }
    effects.changed(of.state.id)
    return of.state
  }

  function openView(of: Turn): SigningView {
    const { url, allowedOrigins, practiceOrigin } = of.address
    const ownReturn = effects.returnAddressOf(of.state.documentReference)
    return effects.openView({
      url,
      allowedOrigins,
      returnAddresses: ownReturn ? [RETURN_ADDRESS, ownReturn] : [RETURN_ADDRESS],
      ...(practiceOrigin && { practiceOrigin }),
      events: {
        loading: () => become(of, { phase: of.state.phase === 'covered' ? 'covered' : 'loading' }),
        open: () => become(of, { phase: of.state.phase === 'covered' ? 'covered' : 'open' }),
        returned: () => become(of, { phase: 'returned' }),
        failed: (error) => become(of, { phase: 'failed', error }),
        refused: (what) =>
          become(of, { refused: [...of.state.refused, { what, at: effects.clock() }].slice(-REMEMBERED) })
      }
    })
  }

  return {
    /** Who can sign at the counter now, next due first. */
    queue: (): Promise<CounterEntry[]> => effects.waitingHere(),

    state: (): CounterState | null => turn?.state ?? null,

    /**
     * Whether the screen is in the signer's hands: from the start of a turn until the clerk has left what became of it.
     * Till then nothing of the office may be shown.
     */
    isHandedOver: (): boolean => turn !== undefined || isOutcomeShown,

    /** The clerk has the screen again: what became of the last turn is shown no more. A turn that lasts goes on. */
    leave(): void {
      if (!isOutcomeShown) return
      isOutcomeShown = false
      effects.changed('')
    },

    /**
     * Prepares a signer's turn with a link that is fresh; nothing is loaded yet.
     * @throws AppFailure `busy` while another's turn lasts; `gone`, `not-signable` or `unsafe-address` where this one
     *   can't begin.
     */
    async start(documentReference: string, signer: number): Promise<CounterState> {
      if (turn) fail('busy', 'Somebody else is signing. End that first.')
      // A link that is minutes old may be somebody's who has signed elsewhere since.
      await effects.refresh()
      const mirrored = await effects.documentOf(documentReference)
      if (turn) fail('busy', 'Somebody else is signing. End that first.')
      if (!mirrored || mirrored.goneAt !== undefined) return fail('gone', 'This document is no longer in the folders.')
      const { document } = mirrored
      const person = document.Signers?.[signer]
      if (!person?.SigningKey || !canSignNow(document, signer)) {
        return fail('not-signable', 'This person can’t sign here now: they have signed, or it is somebody else’s turn.')
      }
      const address = signingAddress(person.SigningKey, effects.account())
      if (!address.ok) return fail('unsafe-address', signingAddressSentence(address.reason))
      turn = {
        signer,
        address,
        state: {
          id: effects.newId(),
          documentReference,
          documentName: document.Name ?? documentReference,
          signerName: fullName(person),
          origin: new URL(address.url).origin,
          phase: 'handover',
          refused: []
        }
      }
      isOutcomeShown = false
      effects.changed(turn.state.id)
      return turn.state
    },

    /** Shows the page at these bounds of the window, in CSS pixels. */
    show(id: string, bounds: { x: number; y: number; width: number; height: number }): CounterState {
      const of = current(id)
      const { phase } = of.state
      if (phase === 'returned' || phase === 'failed') return of.state
      if (!of.view) {
        become(of, { phase: 'loading' })
        of.view = openView(of)
        of.view.zoom(effects.zoom())
      }
      of.view.show(bounds)
      return phase === 'covered' ? become(of, { phase: 'open' }) : of.state
    },

    /** Hides the page behind our cover; it goes on as it is. */
    cover(id: string): CounterState {
      const of = current(id)
      of.view?.cover()
      return of.state.phase === 'open' || of.state.phase === 'loading' ? become(of, { phase: 'covered' }) : of.state
    },

    /** Closes and wipes the page, then asks the service what became of this signer. The clerk leaves what it says. */
    async end(id: string): Promise<CounterOutcome> {
      const of = current(id)
      await of.view?.destroy()
      if (turn === of) {
        isOutcomeShown = true
        turn = undefined
      }
      effects.changed(id)
      try {
        await effects.refresh()
        return outcome(await effects.documentOf(of.state.documentReference), of.signer)
      } catch (error) {
        return { signed: 'unknown', error: effects.describe(error) }
      }
    },

    /** Closes whatever is open: at the end of the application, or when another account is chosen. */
    async close(): Promise<void> {
      const of = turn
      const wasHandedOver = of !== undefined || isOutcomeShown
      turn = undefined
      isOutcomeShown = false
      await of?.view?.destroy()
      if (wasHandedOver) effects.changed(of?.state.id ?? '')
    }
  }
}

function outcome(mirrored: MirroredDocument | undefined, index: number): CounterOutcome {
  const signer = mirrored?.document.Signers?.[index]
  if (!mirrored || !signer) {
    return { signed: 'unknown', error: { code: 'gone', message: 'The document is no longer in the folders.' } }
  }
  const state = stateOf(mirrored.document, signer)
  if (state === 'signed' || state === 'declined') return { signed: state }
  return { signed: 'not-yet' }
}
