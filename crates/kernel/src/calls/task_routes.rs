//! The routes of tasks: the server and the line on which each was created.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use model::{PrincipalId, ServerId};
use upstream::Line;

use super::caller::Caller;
use super::watched::Watched;

/// The number of tasks whose routes are remembered.
const MAX_TASKS: usize = 10_000;

/// The routes of all tasks.
#[derive(Default)]
pub(crate) struct TaskRoutes {
    state: Mutex<Routes>,
}

#[derive(Default)]
struct Routes {
    /// The tasks by principal and id. Servers choose the ids, so two servers may give one principal equal ids.
    by_task: HashMap<Key, Vec<Arc<TaskRoute>>>,
    /// The keys, oldest first, each as often as it has routes.
    order: VecDeque<Key>,
}

type Key = (PrincipalId, String);

/// The route of one task, with its questions and outcome if the gateway watches it.
pub(crate) struct TaskRoute {
    pub(crate) server: ServerId,
    /// The line on which it runs: a server on a pipe is one process for each line, which knows only its own tasks.
    line: Mutex<Weak<Line>>,
    /// How long its line is kept because of it.
    kept: Mutex<Kept>,
    watched: Mutex<Watched>,
}

struct Kept {
    ttl: Duration,
    until: Instant,
}

/// The tasks that an id stands for.
pub(crate) enum Found {
    /// No known task.
    None,
    /// One task.
    One(Arc<TaskRoute>),
    /// Tasks on several lines.
    Many,
}

impl TaskRoutes {
    fn state(&self) -> MutexGuard<'_, Routes> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a task that was just created on a line, which is kept for `ttl`.
    pub(crate) fn created(&self, principal: &PrincipalId, task: &str, line: &Arc<Line>, ttl: Duration) -> Arc<TaskRoute> {
        let key = (principal.clone(), task.to_owned());
        let route = Arc::new(TaskRoute {
            server: line.server.spec.id.clone(),
            line: Mutex::new(Arc::downgrade(line)),
            kept: Mutex::new(Kept {
                ttl,
                until: runtime::now() + ttl,
            }),
            watched: Mutex::default(),
        });
        let forgotten = {
            let mut state = self.state();
            let state = &mut *state;
            let routes = state.by_task.entry(key.clone()).or_default();
            let before = routes.iter().position(|known| known.is_on(line) || known.line().is_none());
            match before {
                Some(before) => routes[before] = route.clone(),
                None => {
                    routes.push(route.clone());
                    state.order.push_back(key);
                }
            }
            if state.order.len() > MAX_TASKS {
                state.forget_oldest()
            } else {
                None
            }
        };
        self.follow_on(line);
        if let Some(line) = forgotten.and_then(|route| route.line()) {
            self.follow_on(&line);
        }
        route
    }

    /// Notes a task that a server lists on a line, unless it is known already.
    pub(crate) fn listed(&self, principal: &PrincipalId, task: &str, line: &Arc<Line>, ttl: Duration) {
        let known = self.all(principal, task);
        let mut theirs = known.iter().filter(|known| known.server == line.server.spec.id);
        if theirs.clone().any(|known| known.line().is_some()) {
            return;
        }
        match theirs.next() {
            Some(known) => self.moved(known, line),
            None => drop(self.created(principal, task, line, ttl)),
        }
    }

    /// Notes that a task is asked about on another line than before, where that has ended.
    pub(crate) fn moved(&self, route: &TaskRoute, line: &Arc<Line>) {
        if !route.is_on(line) {
            *route.place() = Arc::downgrade(line);
            self.follow_on(line);
        }
    }

    /// Makes a modern server report the tasks that run on a line.
    fn follow_on(&self, line: &Arc<Line>) {
        let tasks: BTreeSet<String> = {
            let state = self.state();
            let is_there = |routes: &Vec<Arc<TaskRoute>>| routes.iter().any(|route| route.is_on(line));
            let theirs = state.by_task.iter().filter(|(_, routes)| is_there(routes));
            theirs.map(|((_, task), _)| task.clone()).collect()
        };
        line.watch_tasks(tasks);
    }

    /// Returns all tasks of a principal with that id.
    pub(crate) fn all(&self, principal: &PrincipalId, task: &str) -> Vec<Arc<TaskRoute>> {
        let key = (principal.clone(), task.to_owned());
        self.state().by_task.get(&key).cloned().unwrap_or_default()
    }

    /// Returns the task of a caller with that id; of several, the one that runs on a line of the caller.
    pub(crate) fn of(&self, caller: &Caller, task: &str) -> Found {
        let mut all = self.all(caller.principal(), task);
        if all.len() > 1 {
            let own = |route: &Arc<TaskRoute>| caller.line(&route.server).is_some_and(|line| route.is_on(&line));
            all.retain(own);
            return all.pop().filter(|_| all.is_empty()).map_or(Found::Many, Found::One);
        }
        all.pop().map_or(Found::None, Found::One)
    }

    /// Returns whether a caller may listen to a task.
    pub(crate) fn is_known(&self, caller: &Caller, task: &str) -> bool {
        matches!(self.of(caller, task), Found::One(_))
    }

    /// Returns whether the task is known as another principal's.
    pub(crate) fn is_of_another(&self, principal: &PrincipalId, task: &str) -> bool {
        self.state().by_task.keys().any(|(owner, id)| id == task && owner != principal)
    }

    /// Returns the task of that name that runs on the line of that number.
    pub(crate) fn at(&self, line: u64, task: &str) -> Option<Arc<TaskRoute>> {
        let state = self.state();
        let named = state.by_task.iter().filter(|((_, id), _)| id == task);
        let found = named.flat_map(|(_, routes)| routes).find(|route| route.is_at(line));
        found.cloned()
    }

    /// Returns whether a task runs on a line that may still be asked about.
    pub(crate) fn holds(&self, line: &Arc<Line>) -> bool {
        let (state, now) = (self.state(), runtime::now());
        let mut routes = state.by_task.values().flatten();
        routes.any(|route| route.is_on(line) && route.kept().until > now)
    }
}

impl Routes {
    fn forget_oldest(&mut self) -> Option<Arc<TaskRoute>> {
        let oldest = self.order.pop_front()?;
        let routes = self.by_task.get_mut(&oldest)?;
        let forgotten = routes.remove(0);
        if routes.is_empty() {
            self.by_task.remove(&oldest);
        }
        Some(forgotten)
    }
}

impl TaskRoute {
    fn place(&self) -> MutexGuard<'_, Weak<Line>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the line on which the task runs, if that still exists.
    pub(crate) fn line(&self) -> Option<Arc<Line>> {
        self.place().upgrade()
    }

    fn is_on(&self, line: &Arc<Line>) -> bool {
        self.place().as_ptr() == Arc::as_ptr(line)
    }

    /// Returns whether the task runs on the line of that number.
    pub(crate) fn is_at(&self, line: u64) -> bool {
        self.line().is_some_and(|known| known.number == line)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a client asks about the task, which prolongs the time that it is kept.
    pub(crate) fn touch(&self) {
        let mut kept = self.kept();
        kept.until = runtime::now() + kept.ttl;
    }

    pub(crate) fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for TaskRoutes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskRoutes").finish_non_exhaustive()
    }
}
