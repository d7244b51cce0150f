// Loaded before a program (node --import): its clock runs BURSAR_LATER_MS ahead. Timers are as they were.
const ahead = Number(process.env.BURSAR_LATER_MS ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + ahead;
