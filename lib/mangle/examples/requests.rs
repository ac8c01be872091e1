//! From rules in files to many requests over one snapshot: load, freeze, add facts as data, answer questions, read,
//! explain.

use std::sync::Arc;

use mangle::{
    analysis::{Input, Level, PredicateInfo, analyse},
    diagnostic::{Diagnostic, human},
    eval::{Base, Batch, EvalError, Evaluation, Model, Options, Running, Snapshot},
    explain::Explainer,
    program::{Facts, Program, RuleId},
    syntax::{Dialect, Parsed, Sources, parse},
    value::View,
};

/// The files: name, trust level and text.
const FILES: [(&str, Level, &str); 2] = [
    (
        "policy.mg",
        Level::Policy,
        "Decl tool(Tool, Risk) descr [extensional()] bound [/name, /number].
Decl user(User) descr [session()] bound [/name].
Decl clearance(User, Level) descr [external(), mode('+', '-')] bound [/name, /number].
allowed(T) :- user(U), clearance(U, L), tool(T, R), R <= L.",
    ),
    ("domain.mg", Level::Domain, "offer(T) :- allowed(T), tool(T, _)."),
];

/// A program with its interner and sources.
struct Rules {
    sources: Sources,
    predicates: Vec<PredicateInfo>,
    program: Arc<Program>,
}

/// Reads the rules. Returns what is wrong with them as text; a service then keeps its old rules.
fn load() -> Result<Rules, String> {
    let mut sources = Sources::new();
    for (name, _, text) in FILES {
        sources.add(name, text).map_err(|error| error.to_string())?;
    }
    let parsed: Vec<Parsed> = sources.iter().map(|source| parse(source, Dialect::Strict)).collect();
    let said = |found: &[Diagnostic]| -> String { found.iter().filter(|one| one.is_error()).map(|one| human(one, &sources)).collect() };
    // A part that could not be read may be what forbids something, so the rest is not used either.
    if !parsed.iter().all(Parsed::is_ok) {
        return Err(parsed.iter().map(|one| said(&one.diagnostics)).collect());
    }
    let inputs = parsed.iter().zip(FILES);
    let inputs: Vec<Input<'_>> = inputs.map(|(one, (_, level, _))| Input { unit: &one.unit, level }).collect();
    let analysis = analyse(&inputs, Dialect::Strict);
    match analysis.program {
        None => Err(said(&analysis.diagnostics)),
        Some(program) => Ok(Rules {
            program: Arc::new(program),
            predicates: analysis.predicates,
            sources,
        }),
    }
}

/// Evaluates the facts that all requests share. When they change, the rules need not be read again.
fn freeze(program: &Arc<Program>) -> Result<Snapshot, EvalError> {
    let mut base = Base::new(Arc::clone(program), &Options::default())?;
    let tool = program.find("tool", 2).expect("the policy declares it");
    let mut facts = Facts::default();
    for (name, risk) in [("/read", 1), ("/write", 5), ("/erase", 9)] {
        let interner = base.interner();
        let row = [interner.name(name), interner.number(risk)];
        facts.push(tool, &row, None);
    }
    base.give(&facts)?;
    base.freeze()
}

/// Evaluates one request, with its own facts, time, budget and flag. Any number of them may run at the same time.
fn request(snapshot: &Snapshot, rules: &Rules, user: &str, options: &Options) -> Result<Model, EvalError> {
    let mut evaluation = snapshot.request(options)?;
    let pred = snapshot.program().find("user", 1).expect("the policy declares it");
    let row = [evaluation.interner().name(user)];
    if let Some(misfit) = rules.predicates[pred.index()].misfit(&row, evaluation.interner()) {
        return Err(EvalError::BadFact(misfit.to_string()));
    }
    let mut facts = Facts::default();
    facts.push(pred, &row, None);
    evaluation.give(&facts)?;
    loop {
        match evaluation.run()? {
            Running::Done(model) => return Ok(*model),
            Running::Asks(asking, batch) => {
                evaluation = *asking;
                answer(&mut evaluation, &batch)?;
            }
        }
    }
}

/// Answers questions. Here a service would ask a database, once for the whole batch; if that fails, it drops the
/// evaluation.
fn answer(evaluation: &mut Evaluation, batch: &Batch) -> Result<(), EvalError> {
    for question in &batch.questions {
        let known: Vec<_> = question.args.iter().flatten().copied().collect();
        let interner = evaluation.interner();
        let clearance = match interner.view(known[0]) {
            View::Name("/ann") => 5,
            _ => 1,
        };
        let row = vec![known[0], interner.number(clearance)];
        evaluation.answer(question, &[row])?;
    }
    Ok(())
}

/// Returns what is offered, and why `/erase` is not.
fn report(model: &Model, rules: &Rules) -> Result<String, EvalError> {
    let offer = model.program().find("offer", 1).expect("the domain defines it");
    let mut text = String::new();
    for row in model.rows(offer) {
        text += &format!("{}\n", model.interner().print(row[0]));
    }
    let place = |rule: RuleId| {
        let span = model.program().rule(rule).span;
        let source = rules.sources.find(span).expect("rules stand in sources");
        format!("{}:{}", source.name(), source.position(span.start).line)
    };
    let Options { budget, cancel, .. } = Options::default();
    let mut explainer = Explainer::new(model, budget, cancel);
    let erase = explainer.interner().name("/erase");
    if let Some(why_not) = explainer.why_not(offer, &[erase], None)? {
        text += &explainer.why_not_text(&why_not, &place, &|_, _| None)?;
    }
    Ok(text)
}

pub(crate) fn main() -> Result<(), String> {
    let rules = load()?;
    // Shows how an evaluation failed, with the place of the rule that was running.
    let failed = |error: EvalError| human(&error.finding(&rules.program), &rules.sources);
    let snapshot = freeze(&rules.program).map_err(failed)?;
    let model = request(&snapshot, &rules, "/ann", &Options::default()).map_err(failed)?;
    let text = report(&model, &rules).map_err(failed)?;
    assert_eq!(
        text,
        "/read
/write
offer(/erase) does not hold
  nearest: offer(/read), offer(/write)
  domain.mg:1: premise 1 fails with T = /erase; nearest: allowed(/read), allowed(/write)
"
    );
    Ok(())
}
