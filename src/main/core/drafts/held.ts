/** In which states a send has its draft, as they stand in SQL: said here alone, so that no two places count differently. */

/** It waits, is under way, or it isn't certain whether it arrived: the draft is with the outbox. */
export const HELD_STATES = `('ready', 'sending', 'uncertain')`

/** As `HELD_STATES`, or the service has it: the draft can't be changed or sent any more. */
export const HELD_OR_SENT_STATES = `('ready', 'sending', 'uncertain', 'sent')`
