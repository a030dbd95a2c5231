#!/usr/bin/env node
/** Takes the place of Electron's program for electron-vite: runs the application's folder on the Chromium host. */
import { exitWith, openOnHost } from './host.ts'

// The first argument is the application's folder, which the host already knows.
const [, , , ...appArguments] = process.argv
exitWith(openOnHost(appArguments))
