/** What to ask the user before the application ends while packages are unsent or uncertain. */

export interface PendingWork {
  /** Packages in the outbox that haven't been sent. */
  ready: number
  /** Packages that may or may not have arrived. */
  uncertain: number
  /** Batches that are still being written to the outbox. */
  preparing: number
  /** Extensions and corrections waiting for a connection. */
  actions: number
  /** Whether someone is signing on the second display. */
  isSigning: boolean
  /** Files of bulk sends with corrected cells: the corrections are in no file and no outbox. */
  corrections: readonly string[]
  /** Whether what is stored is replaced or removed as the application ends, so that nothing of it continues. */
  isReplaced: boolean
}

export interface QuitQuestion {
  message: string
  detail: string
  stay: string
  leave: string
}

/**
 * Returns the question, or undefined if there's no need to ask.
 * @param storage whether data outlives the application.
 */
export function questionBeforeQuitting(
  pending: PendingWork,
  storage: 'encrypted' | 'memory'
): QuitQuestion | undefined {
  const { ready, uncertain, preparing, actions, isSigning, corrections, isReplaced } = pending
  if (isSigning) {
    return {
      message: 'Someone is signing on the second display.',
      detail: 'Quitting closes their page. Anything they haven’t submitted will be lost.',
      stay: 'Cancel',
      leave: 'Quit anyway'
    }
  }
  if (storage === 'memory' && ready + uncertain + preparing > 0) {
    return {
      message: `${packagesInWords(ready + uncertain)} in the Outbox will be lost.`,
      detail: 'Nothing is being saved on this computer, so unsent packages won’t be sent after you quit.',
      stay: 'Cancel',
      leave: 'Quit anyway'
    }
  }
  if (preparing > 0) {
    return {
      message: 'A bulk send is still being prepared.',
      detail: 'If you quit now, none of it will be sent and you’ll have to start again.',
      stay: 'Cancel',
      leave: 'Quit anyway'
    }
  }
  if (corrections.length > 0) {
    return {
      message:
        corrections.length === 1
          ? `Your corrections to “${corrections[0]}” will be lost.`
          : `Your corrections to ${corrections.length} files will be lost.`,
      detail:
        'They haven’t been sent or saved. To keep them, cancel, then send the packages or download the corrected sheet.',
      stay: 'Cancel',
      leave: 'Quit anyway'
    }
  }
  const message = `${packagesInWords(ready)} in the Outbox ${ready === 1 ? 'hasn’t' : 'haven’t'} been sent yet.`
  if (isReplaced && ready + actions > 0) {
    return {
      message: ready > 0 ? message : actionsWaiting(actions),
      detail: 'Your data is about to be replaced or removed. What only it has won’t be sent.',
      stay: 'Cancel',
      leave: 'Quit'
    }
  }
  if (ready === 0) return actions === 0 ? undefined : actionsQuestion(actions, storage)
  return {
    message,
    detail: `${ready === 1 ? 'It' : 'They'}’ll be sent next time you open Countersign.`,
    stay: 'Cancel',
    leave: 'Quit'
  }
}

function actionsWaiting(count: number): string {
  const changes = count === 1 ? '1 document change is' : `${count.toLocaleString('en-GB')} document changes are`
  return `${changes} waiting for the internet.`
}

function actionsQuestion(count: number, storage: 'encrypted' | 'memory'): QuitQuestion {
  return {
    message: actionsWaiting(count),
    detail:
      storage === 'memory'
        ? 'Nothing is being saved on this computer, so this will be lost if you quit.'
        : 'This will continue next time you open Countersign online.',
    stay: 'Cancel',
    leave: storage === 'memory' ? 'Quit anyway' : 'Quit'
  }
}

function packagesInWords(count: number): string {
  return count === 1 ? '1 package' : `${count.toLocaleString('en-GB')} packages`
}
